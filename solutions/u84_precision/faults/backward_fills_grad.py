"""Calls loss.backward() on the model that it looks at.

check = "8.4.j/model_is_left_as_it_was"
stage = "torch"
says = "The map left gradients on the model. torch.autograd.grad returns them without storing them."
also = ["8.4.j/buffers_are_left_as_they_were"]
"""

_untouched_map = dtype_map


def dtype_map(model, x, y, device="cpu", dtype=torch.bfloat16):
    found = _untouched_map(model, x, y, device, dtype)
    F.cross_entropy(model(x), y).backward()
    return found
