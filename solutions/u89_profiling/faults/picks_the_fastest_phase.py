"""Ranks the smallest phase first.

check = "8.9.g/the_largest_phase_gains_most"
stage = "numpy"
says = "The fastest phase came first. A phase that takes 5 % of the step can give 5 % at most: look at the largest."
# an order turned round is wrong in every ranking
# the checks of many cases have this one among them
also = ["8.9.g/a_hidden_loader_gains_nothing", "8.9.g/every_ranking"]
"""

_largest_first = rank_targets


def rank_targets(phases, speedup, overlapped=()):
    return _largest_first(phases, speedup, overlapped)[::-1]
