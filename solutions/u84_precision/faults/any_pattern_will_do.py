"""Cuts bits off that do not belong to the format.

check = "8.4.a/patterns_in_any_container"
stage = "numpy"
says = "A pattern that has more bits than the format, or is negative, was cut to size. Refuse it: it belongs to another format."
"""

_strict_decode = decode


def decode(bits, exponent, mantissa, infinity=True):
    codes = np.asarray(bits).astype(np.int64) & (2 ** (1 + exponent + mantissa) - 1)
    return _strict_decode(codes, exponent, mantissa, infinity)
