"""Calls NaN an overflow."""

_true = survives


def survives(values, exponent, mantissa, infinity=True):
    return [word.replace("nan", "overflow") for word in _true(values, exponent, mantissa, infinity)]
