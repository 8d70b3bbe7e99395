"""Leaves autocast before the loss.

check = "8.4.j/map_as_its_operators_run"
stage = "torch"
says = "The loss was computed outside autocast, so that it took the logits' dtype. Under autocast the cross-entropy runs in float32: model and loss belong inside."
"""

_loss_inside = dtype_map


def dtype_map(model, x, y, device="cpu", dtype=torch.bfloat16):
    found = _loss_inside(model, x, y, device, dtype)
    return {**found, "loss": found["logits"]}
