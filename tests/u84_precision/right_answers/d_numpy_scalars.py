"""Returns NumPy scalars."""

_true = format_limits


def format_limits(exponent, mantissa, infinity=True):
    return {name: np.float64(value) for name, value in _true(exponent, mantissa, infinity).items()}
