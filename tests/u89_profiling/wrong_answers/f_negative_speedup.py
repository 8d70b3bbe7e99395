"""Refuses a speed-up of 0 but computes with a negative one."""

_positive = amdahl


def amdahl(fraction, speedup):
    if speedup < 0:
        return 1 / ((1 - fraction) + fraction / speedup)
    return _positive(fraction, speedup)
