"""Leaves out the module whose name is empty, which is the whole model where that has no children."""

_j_root_as_well = dtype_map


def dtype_map(model, x, y, device="cpu", dtype=torch.bfloat16):
    found = _j_root_as_well(model, x, y, device, dtype)
    return {**found, "modules": {name: kind for name, kind in found["modules"].items() if name}}
