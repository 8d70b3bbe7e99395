"""Returns lists of Python floats."""

_true = decode


def decode(bits, exponent, mantissa, infinity=True):
    values = _true(bits, exponent, mantissa, infinity)
    return values.tolist() if values.size else values
