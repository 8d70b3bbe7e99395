"""Takes the compiler's name off the front alone.

check = "8.8.l/a_compiled_model_is_saved_plain"
stage = "torch"
says = "A compiled part inside the model keeps the compiler's name in the middle of its own."
"""


def portable_state(model):
    return {name.removeprefix("_orig_mod."): value for name, value in model.state_dict().items()}
