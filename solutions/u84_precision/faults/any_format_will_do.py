"""Encodes into formats that cannot exist.

check = "8.4.b/values_in_any_container"
stage = "numpy"
says = "A format out of bounds was not refused: it has no mantissa or exponent to speak of, or does not fit in a float64."
"""

_bounded_encode = encode


def encode(values, exponent, mantissa, infinity=True, saturate=False):
    exponent, mantissa = min(max(exponent, 2), 8), min(max(mantissa, 1), 23)
    return _bounded_encode(values, exponent, mantissa, infinity, saturate)
