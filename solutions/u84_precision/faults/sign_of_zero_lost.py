"""Multiplies by a sign that is 0 for zero.

check = "8.4.a/every_pattern_of_drawn_formats"
stage = "numpy"
says = "The sign of zero is lost. The pattern with only the highest bit set means -0.0."
also = ["8.4.a/patterns_as_torch_reads_them", "8.4.a/patterns_in_any_container"]
"""

_signed_decode = decode


def decode(bits, exponent, mantissa, infinity=True):
    return _signed_decode(bits, exponent, mantissa, infinity) + 0.0
