"""Returns NumPy scalars."""

_true = format_limits


def format_limits(exponent, mantissa, infinity=True):
    found = _true(exponent, mantissa, infinity)
    return {name: np.float64(value) if value < 2**1023 else value for name, value in found.items()}
