"""Gives the gap below at a power of two."""

_true = ulp


def ulp(x, exponent, mantissa, infinity=True):
    spacing = _true(x, exponent, mantissa, infinity)
    mantissas, _ = np.frexp(np.abs(np.asarray(x, dtype=np.float64)))
    small = format_limits(exponent, mantissa, infinity)["smallest_subnormal"]
    return np.where((mantissas == 0.5) & (spacing > small), spacing / 2, spacing)
