"""Runs the model once for the map and once more for the gradients."""

_true = dtype_map


def dtype_map(model, x, y, device="cpu", dtype=torch.bfloat16):
    found = _true(model, x, y, device, dtype)
    again = _true(model, x, y, device, dtype)
    return {**found, "gradients": again["gradients"]}
