"""Takes a NaN time for 0.

check = "8.9.g/phases_that_cannot_be"
stage = "numpy"
says = "A NaN was taken for no time. It was not measured, which is not the same: refuse."
"""

_refusing = rank_targets


def rank_targets(phases, speedup, overlapped=()):
    return _refusing({n: 0 if v != v else v for n, v in phases.items()}, speedup, overlapped)
