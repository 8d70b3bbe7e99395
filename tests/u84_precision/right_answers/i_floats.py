"""Returns floats."""

_true = autocast_forward_bytes


def autocast_forward_bytes(widths, batch):
    found = _true(widths, batch)
    terms = {name: float(size) for name, size in found["terms"].items()}
    return {**found, "fp32": float(found["fp32"]), "bf16": float(found["bf16"]), "terms": terms}
