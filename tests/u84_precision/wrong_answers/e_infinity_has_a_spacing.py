"""Gives the last spacing for everything beyond the largest number."""

_true = ulp


def ulp(x, exponent, mantissa, infinity=True):
    top = format_limits(exponent, mantissa, infinity)["max"]
    return _true(np.minimum(np.abs(x), top), exponent, mantissa, infinity)
