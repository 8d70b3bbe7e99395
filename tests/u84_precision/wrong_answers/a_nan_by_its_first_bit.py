"""Takes a NaN without the first mantissa bit for an infinity."""

_true = decode


def decode(bits, exponent, mantissa, infinity=True):
    values = _true(bits, exponent, mantissa, infinity)
    codes = np.asarray(bits).astype(np.int64)
    quiet = (codes >> (mantissa - 1)) & 1
    return np.where(np.isnan(values) & (quiet == 0), np.inf, values)
