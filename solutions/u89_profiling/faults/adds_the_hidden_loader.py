"""Adds overlapped work to the step.

check = "8.9.g/a_hidden_loader_gains_nothing"
stage = "numpy"
says = "The loader was added to the step although it works beside it. What is hidden costs nothing, so making it faster gains nothing."
# the checks of many cases have this one among them
also = ["8.9.g/every_ranking"]
"""

_beside = rank_targets


def rank_targets(phases, speedup, overlapped=()):
    _beside(phases, speedup, overlapped)
    return _beside(phases, speedup)
