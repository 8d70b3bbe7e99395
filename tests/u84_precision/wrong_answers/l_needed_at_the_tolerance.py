"""Calls for a scaler when the share is just the one that can be borne."""

_true = needs_scaler


def needs_scaler(gradients, dtype=torch.float16, scale=1.0, tolerance=0.01):
    found = _true(gradients, dtype, scale, tolerance)
    return {**found, "needed": found["underflow"] >= tolerance}
