"""Runs the backward of the map inside autocast.

check = "8.4.j/backward_outside_autocast"
stage = "torch"
says = "The backward ran inside autocast. Leave it before: each backward operator takes the dtype of its forward on its own."
also = ["8.4.j/buffers_are_left_as_they_were"]
"""

_outside_map = dtype_map


def dtype_map(model, x, y, device="cpu", dtype=torch.bfloat16):
    found = _outside_map(model, x, y, device, dtype)
    with torch.autocast("cpu", dtype=dtype):
        loss = F.cross_entropy(model(x), y)
        torch.autograd.grad(
            loss, [p for p in model.parameters() if p.requires_grad], allow_unused=True
        )
    return found
