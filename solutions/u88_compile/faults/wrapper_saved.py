"""Saves the state of the wrapper.

check = "8.8.l/a_compiled_model_is_saved_plain"
stage = "torch"
says = "The names begin with _orig_mod, which the plain model does not know. With strict=False it would load nothing, without an error."
"""


def portable_state(model):
    return model.state_dict()
