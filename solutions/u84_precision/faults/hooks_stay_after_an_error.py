"""Removes its hooks only if nothing goes wrong.

check = "8.4.j/model_is_left_as_it_was"
stage = "torch"
says = "Hooks were left on the model after an error in its forward: remove them in a `finally`."
"""

_tidy_map = dtype_map


def dtype_map(model, x, y, device="cpu", dtype=torch.bfloat16):
    try:
        return _tidy_map(model, x, y, device, dtype)
    except KeyError:
        model.register_forward_hook(lambda *_: None)
        raise
