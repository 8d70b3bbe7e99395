"""Saturates what is finite, and leaves infinities infinite."""

_true = encode


def encode(values, exponent, mantissa, infinity=True, saturate=False):
    plain = _true(values, exponent, mantissa, infinity)
    full = _true(values, exponent, mantissa, infinity, saturate)
    return np.where(np.isinf(np.asarray(values, dtype=np.float64)), plain, full)
