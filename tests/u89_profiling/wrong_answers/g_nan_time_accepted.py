"""Takes a NaN time for 0."""

_refusing = rank_targets


def rank_targets(phases, speedup, overlapped=()):
    return _refusing({n: 0 if v != v else v for n, v in phases.items()}, speedup, overlapped)
