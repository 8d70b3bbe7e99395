"""Computes with a negative speed-up.

check = "8.9.f/amdahl_to_the_ends"
stage = "numpy"
says = "A negative speed-up was computed with: the part would take negative time. Refuse all that is not above 0."
"""

_positive = amdahl


def amdahl(fraction, speedup):
    if speedup < 0:
        return 1 / ((1 - fraction) + fraction / speedup)
    return _positive(fraction, speedup)
