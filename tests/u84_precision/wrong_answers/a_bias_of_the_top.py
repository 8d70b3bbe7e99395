"""Takes another bias for the formats without infinities."""

_true = decode


def decode(bits, exponent, mantissa, infinity=True):
    values = _true(bits, exponent, mantissa, infinity)
    return values if infinity else values / 2
