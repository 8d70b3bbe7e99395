"""Loses the sign of zero by comparing with 0."""

_true = encode


def encode(values, exponent, mantissa, infinity=True, saturate=False):
    values = np.asarray(values, dtype=np.float64)
    return np.where(values == 0, 0, _true(values, exponent, mantissa, infinity, saturate))
