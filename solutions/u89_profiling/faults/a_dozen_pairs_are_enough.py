"""Gives a verdict on any number of pairs.

check = "8.9.e/verdicts"
stage = "numpy"
says = "A verdict on too few pairs: the bootstrap of a handful of ratios cannot be wider than they are, so a single pair looks certain."
# the checks of many cases have this one among them
also = ["8.9.e/intervals_on_both_sides_of_each_line"]
"""

_enough_pairs = paired_bootstrap


def paired_bootstrap(a, b, seed):
    times = max(1, -(-20 // max(len(a), 1)))
    result = _enough_pairs(a, b, seed)
    if len(a) < 20:
        result["verdict"] = _enough_pairs(list(a) * times, list(b) * times, seed)["verdict"]
    return result
