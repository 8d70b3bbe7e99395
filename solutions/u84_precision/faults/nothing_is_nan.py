"""Divides by a number of entries that is 0.

check = "8.4.l/nothing_to_lose"
stage = "torch"
says = "Without a nonzero entry the share is 0 / 0. Nothing is lost then: 0.0."
"""

_nothing_is_zero = needs_scaler


def needs_scaler(gradients, dtype=torch.float16, scale=1.0, tolerance=0.01):
    found = _nothing_is_zero(gradients, dtype, scale, tolerance)
    if not found["nonzero"]:
        found |= {"underflow": math.nan, "overflow": math.nan}
    return found
