"""Rounds half of the smallest subnormal up to it."""

_true = encode


def encode(values, exponent, mantissa, infinity=True, saturate=False):
    values = np.asarray(values, dtype=np.float64)
    small = format_limits(exponent, mantissa, infinity)["smallest_subnormal"]
    up = np.where(np.abs(values) == small / 2, np.copysign(small, values), values)
    return _true(up, exponent, mantissa, infinity, saturate)
