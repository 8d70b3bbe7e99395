"""Gives the largest relative rounding error for eps."""

_true = format_limits


def format_limits(exponent, mantissa, infinity=True):
    found = _true(exponent, mantissa, infinity)
    return {**found, "eps": found["eps"] / 2}
