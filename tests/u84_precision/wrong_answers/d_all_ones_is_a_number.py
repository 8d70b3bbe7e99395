"""Counts the NaN of a format without infinities as its largest number."""

_true = format_limits


def format_limits(exponent, mantissa, infinity=True):
    found = _true(exponent, mantissa, infinity)
    if not infinity:
        bias = 2 ** (exponent - 1) - 1
        found["max"] = math.ldexp(2 ** (mantissa + 1) - 1, bias + 1 - mantissa)
    return found
