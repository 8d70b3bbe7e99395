"""Calls everything that is no gain a null result.

check = "8.9.e/verdicts"
stage = "numpy"
says = "Noise was called null. Null is a statement, that the difference is small; an interval as wide as this one says nothing at all."
# the checks of many cases have this one among them
also = ["8.9.e/intervals_on_both_sides_of_each_line"]
"""

_four_verdicts = paired_bootstrap


def paired_bootstrap(a, b, seed):
    result = _four_verdicts(a, b, seed)
    if result["verdict"] == "inconclusive" and len(a) >= 20:
        result["verdict"] = "null"
    return result
