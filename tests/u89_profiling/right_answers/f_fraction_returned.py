"""Exact arithmetic with Fractions, and a Fraction as the answer."""

from fractions import Fraction


def amdahl(fraction, speedup):
    if fraction != fraction or speedup != speedup or not 0 <= fraction <= 1 or not speedup > 0:
        raise ValueError
    f = Fraction(fraction)
    new = (1 - f) + (0 if speedup == math.inf else f / Fraction(speedup))
    return math.inf if new == 0 else 1 / new
