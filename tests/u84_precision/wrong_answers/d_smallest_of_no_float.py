"""Gives 0 for the smallest number where it is a subnormal of a float64."""

_d_subnormals = format_limits


def format_limits(exponent, mantissa, infinity=True):
    found = _d_subnormals(exponent, mantissa, infinity)
    if exponent == 11 and not infinity:
        return {**found, "smallest_subnormal": 0.0}
    return found
