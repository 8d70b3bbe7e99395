"""Gives the largest bfloat16 where rounding reaches infinity."""

_true = round_bf16


def round_bf16(x):
    rounded = _true(x)
    top = np.float32(2.0**127 * (2 - 2.0**-7))
    over = np.isinf(rounded) & np.isfinite(x)
    return np.where(over, np.copysign(top, rounded), rounded).astype(np.float32)
