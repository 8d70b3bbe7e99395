"""Compares two lists of times."""


def amdahl(fraction, speedup):
    if not (fraction >= 0 and fraction <= 1 and speedup > 0):
        raise ValueError
    old = [1 - fraction, fraction]
    new = [1 - fraction, fraction / speedup]
    return sum(old) / sum(new) if sum(new) > 0 else float("inf")
