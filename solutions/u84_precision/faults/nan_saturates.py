"""Gives the largest number for a NaN where overflow saturates.

check = "8.4.b/overflow_infinity_and_nan"
stage = "numpy"
says = "With saturate a NaN became a number. It has not overflowed: it stays a NaN, or a fault upstream is hidden."
"""

_nan_stays = encode


def encode(values, exponent, mantissa, infinity=True, saturate=False):
    values = np.asarray(values, dtype=np.float64)
    known = np.where(np.isnan(values) & saturate, np.copysign(np.inf, values), values)
    return _nan_stays(known, exponent, mantissa, infinity, saturate)
