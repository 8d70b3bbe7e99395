"""Calls every infinite result an overflow.

check = "8.4.f/infinity_and_nan_have_words"
stage = "numpy"
says = "An infinity that was there before has not overflowed: the format has infinities, and it is one of them."
"""

_before_and_after = survives


def survives(values, exponent, mantissa, infinity=True):
    words = _before_and_after(values, exponent, mantissa, infinity)
    infinite = np.isinf(np.asarray(values, dtype=np.float64))
    return ["overflow" if bad else word for word, bad in zip(words, infinite, strict=True)]
