"""Calls everything above the largest number an overflow.

check = "8.4.b/overflow_infinity_and_nan"
stage = "numpy"
says = "A value just above the largest number overflowed. It is nearer to the largest number than to where the next one would be."
also = ["8.4.b/numbers_as_torch_rounds_them", "8.4.f/what_becomes_of_each_value", "8.4.f/words_for_values_that_torch_cast"]
"""

_late_encode = encode


def encode(values, exponent, mantissa, infinity=True, saturate=False):
    values = np.asarray(values, dtype=np.float64)
    largest = format_limits(exponent, mantissa, infinity)["max"]
    early = np.where(np.abs(values) > largest, np.copysign(np.inf, values), values)
    return _late_encode(early, exponent, mantissa, infinity, saturate)
