"""Lets a mantissa that rounds up to the next power of two wrap to 0 of the same stretch."""

_true = encode


def encode(values, exponent, mantissa, infinity=True, saturate=False):
    values = np.asarray(values, dtype=np.float64)
    codes = _true(values, exponent, mantissa, infinity, saturate)
    back = decode(codes, exponent, mantissa, infinity)
    carried = (codes % 2**mantissa == 0) & (np.abs(back) > np.abs(values)) & np.isfinite(back)
    return np.where(carried, codes - 2**mantissa * (codes % 2 ** (exponent + mantissa) >= 2**mantissa), codes)
