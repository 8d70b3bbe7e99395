"""Returns the values flat, whatever the shape of the patterns."""

_true = decode


def decode(bits, exponent, mantissa, infinity=True):
    return _true(bits, exponent, mantissa, infinity).reshape(-1)
