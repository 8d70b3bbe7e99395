"""Tests for null before gain and slower.

check = "8.9.e/intervals_on_both_sides_of_each_line"
stage = "numpy"
says = "A certain gain of 3 % is inside the lines of null. The order of the verdicts decides: gain and slower come first."
"""

_in_order = paired_bootstrap


def paired_bootstrap(a, b, seed):
    r = _in_order(a, b, seed)
    if len(a) >= 20 and r["low"] >= 1 / 1.05 and r["high"] <= 1.05:
        r["verdict"] = "null"
    return r
