"""Returns an array of words."""

_true = survives


def survives(values, exponent, mantissa, infinity=True):
    return np.array(_true(values, exponent, mantissa, infinity), dtype="U9")
