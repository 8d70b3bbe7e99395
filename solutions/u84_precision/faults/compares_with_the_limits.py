"""Compares values with the limits instead of rounding them.

check = "8.4.f/what_becomes_of_each_value"
stage = "numpy"
says = "A value beyond a limit can still round to it: what counts is what becomes of the value, not on which side of the limit it lies."
also = ["8.4.f/words_for_values_that_torch_cast"]
"""

_rounded_survives = survives


def survives(values, exponent, mantissa, infinity=True):
    limits = format_limits(exponent, mantissa, infinity)
    words = _rounded_survives(values, exponent, mantissa, infinity)
    for place, value in enumerate(np.asarray(values, dtype=np.float64)):
        if limits["max"] < abs(value) < math.inf:
            words[place] = "overflow"
        elif 0 < abs(value) < limits["smallest_subnormal"]:
            words[place] = "underflow"
    return words
