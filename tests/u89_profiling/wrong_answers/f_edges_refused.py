"""Refuses a fraction of exactly 0 with an infinite speed-up (0 times infinity)."""

_edges = amdahl


def amdahl(fraction, speedup):
    if fraction == 0 and speedup == math.inf:
        return math.nan
    return _edges(fraction, speedup)
