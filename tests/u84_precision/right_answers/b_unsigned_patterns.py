"""Returns unsigned patterns, another NaN, and no sign on it."""

_true = encode


def encode(values, exponent, mantissa, infinity=True, saturate=False):
    codes = _true(values, exponent, mantissa, infinity, saturate)
    nan = 2 ** (exponent + mantissa) - 1
    if infinity and mantissa > 1:
        nan = (2**exponent - 1) * 2**mantissa + 2 ** (mantissa - 1)
    return np.where(np.isnan(np.asarray(values, dtype=np.float64)), nan, codes).astype(np.uint64)
