"""Gives 2 to the mantissa bits plus one, however small the largest number is.

check = "8.4.d/limits_of_drawn_formats"
stage = "numpy"
says = "This integer is above the largest number of the format: the exponents end before the integers begin to have gaps."
"""

_reached_limits = format_limits


def format_limits(exponent, mantissa, infinity=True):
    limits = _reached_limits(exponent, mantissa, infinity)
    return {**limits, "largest_consecutive_integer": 2 ** (mantissa + 1)}
