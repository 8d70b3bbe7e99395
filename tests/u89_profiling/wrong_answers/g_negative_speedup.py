"""Refuses only a speed-up of exactly 0."""

_refusing = rank_targets


def rank_targets(phases, speedup, overlapped=()):
    if speedup < 0 or speedup != speedup:
        return [(n, 1.0) for n in phases]
    return _refusing(phases, speedup, overlapped)
