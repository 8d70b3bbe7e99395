"""Gives a format without infinities the largest number of one with."""

_true = format_limits


def format_limits(exponent, mantissa, infinity=True):
    return _true(exponent, mantissa, True)
