"""Reads and writes every format as IEEE 754 has it.

check = "8.4.a/every_pattern_of_drawn_formats"
stage = "numpy"
says = "The highest exponent was taken for infinity and NaN in a format without infinities. There it holds numbers, and only all ones is NaN."
also = ["8.4.a/patterns_as_torch_reads_them", "8.4.f/what_becomes_of_each_value", "8.4.f/infinity_and_nan_have_words"]
"""

_both_kinds = decode


def decode(bits, exponent, mantissa, infinity=True):
    return _both_kinds(bits, exponent, mantissa, True)
