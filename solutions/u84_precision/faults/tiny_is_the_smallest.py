"""Takes the smallest normal number for the smallest number.

check = "8.4.d/limits_of_drawn_formats"
stage = "numpy"
says = "This is the smallest normal number. The subnormals go further down, by the whole mantissa."
also = ["8.4.d/limits_that_torch_knows"]
"""

_two_ends = format_limits


def format_limits(exponent, mantissa, infinity=True):
    limits = _two_ends(exponent, mantissa, infinity)
    return {**limits, "smallest_subnormal": limits["smallest_normal"]}
