"""Gives the first power of two that overflows."""

_true = needs_scaler


def needs_scaler(gradients, dtype=torch.float16, scale=1.0, tolerance=0.01):
    found = _true(gradients, dtype, scale, tolerance)
    return {**found, "largest_scale": found["largest_scale"] * 2}
