"""Calls every interval above 1 a gain.

check = "8.9.e/verdicts"
stage = "numpy"
says = "A difference below 2 % was called a gain. Two builds of the same code can differ by that much through memory layout alone."
# the checks of many cases have this one among them
also = ["8.9.e/intervals_on_both_sides_of_each_line"]
"""

_tolerant = paired_bootstrap


def paired_bootstrap(a, b, seed):
    result = _tolerant(a, b, seed)
    if result["low"] > 1 and len(a) >= 20:
        result["verdict"] = "gain"
    return result
