"""Ends with an OverflowError where the largest number is beyond every float."""

_d_beyond_floats = format_limits


def format_limits(exponent, mantissa, infinity=True):
    found = _d_beyond_floats(exponent, mantissa, infinity)
    return {**found, "max": math.ldexp(float(found["max"]), 0)}
