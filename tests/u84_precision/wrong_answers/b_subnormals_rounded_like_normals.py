"""Rounds to the same number of digits everywhere first, so that a subnormal is rounded twice."""

_true = encode


def encode(values, exponent, mantissa, infinity=True, saturate=False):
    values = np.asarray(values, dtype=np.float64)
    with np.errstate(all="ignore"):
        _, power = np.frexp(values)
        near = np.ldexp(np.rint(np.ldexp(values, mantissa + 1 - power)), power - mantissa - 1)
    near = np.where(np.isfinite(near), near, values)
    return _true(near, exponent, mantissa, infinity, saturate)
