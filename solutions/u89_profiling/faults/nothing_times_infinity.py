"""Gives NaN for a part of no time made infinitely fast.

check = "8.9.f/amdahl_to_the_ends"
stage = "numpy"
says = "A part that takes no time, made infinitely fast, gave NaN: 0 times infinity. Divide the fraction by the speed-up; 0 / inf is 0."
"""

_edges = amdahl


def amdahl(fraction, speedup):
    if fraction == 0 and speedup == math.inf:
        return math.nan
    return _edges(fraction, speedup)
