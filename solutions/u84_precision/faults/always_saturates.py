"""Gives the largest number for everything beyond it.

check = "8.4.b/overflow_infinity_and_nan"
stage = "numpy"
says = "What overflowed became the largest number although saturation was not asked for."
also = ["8.4.b/numbers_as_torch_rounds_them", "8.4.f/what_becomes_of_each_value", "8.4.f/infinity_and_nan_have_words", "8.4.f/words_for_values_that_torch_cast"]
"""

_asked_encode = encode


def encode(values, exponent, mantissa, infinity=True, saturate=False):
    return _asked_encode(values, exponent, mantissa, infinity, True)
