"""Lets the forward move the running statistics.

check = "8.4.j/buffers_are_left_as_they_were"
stage = "torch"
says = "The forward moved the model's buffers: in training mode BatchNorm does. Keep their values before it and put them back, or run a copy."
"""

_still_map = dtype_map


def dtype_map(model, x, y, device="cpu", dtype=torch.bfloat16):
    buffers = [buffer.clone() for buffer in model.buffers()]
    found = _still_map(model, x, y, device, dtype)
    for buffer, value in zip(model.buffers(), buffers, strict=True):
        buffer.copy_(value * 0.9)
    return found
