"""Casts first and multiplies then."""

_true = needs_scaler


def needs_scaler(gradients, dtype=torch.float16, scale=1.0, tolerance=0.01):
    found = _true(gradients, dtype, 1.0, tolerance)
    return {**found, "overflow": _true(gradients, dtype, scale, tolerance)["overflow"]}
