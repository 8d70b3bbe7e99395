"""Gives negative spacings for negative numbers, as np.spacing does."""

_true = ulp


def ulp(x, exponent, mantissa, infinity=True):
    return np.copysign(_true(x, exponent, mantissa, infinity), x)
