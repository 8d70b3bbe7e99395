"""Puts the training mode of the whole model back in each of its modules.

check = "8.4.j/model_is_left_as_it_was"
stage = "torch"
says = "All modules have the mode of the model itself now. A part of it may have been in another mode, as frozen layers are: change none, or put each back."
"""

_each_mode = dtype_map


def dtype_map(model, x, y, device="cpu", dtype=torch.bfloat16):
    found = _each_mode(model, x, y, device, dtype)
    model.train(model.training)
    return found
