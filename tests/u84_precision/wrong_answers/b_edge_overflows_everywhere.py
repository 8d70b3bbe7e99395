"""Calls the middle above the largest number an overflow in formats without infinities, too."""

_true = encode


def encode(values, exponent, mantissa, infinity=True, saturate=False):
    values = np.asarray(values, dtype=np.float64)
    top = format_limits(exponent, mantissa, infinity)["max"]
    edge = top + ulp(top, exponent, mantissa, infinity) / 2
    return _true(np.where(np.abs(values) >= edge, np.copysign(np.inf, values), values),
                 exponent, mantissa, infinity, saturate)
