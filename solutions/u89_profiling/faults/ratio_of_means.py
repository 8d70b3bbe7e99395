"""Compares the two means.

check = "8.9.e/ratio_and_interval"
stage = "numpy"
says = "This is the ratio of the two means. The pairs are lost, and with them what the machine did to both times of a pair."
# the checks of many cases have this one among them
also = ["8.9.e/interval_of_many_seeds", "8.9.e/intervals_on_both_sides_of_each_line"]
"""

_ratio_of_pairs = paired_bootstrap


def paired_bootstrap(a, b, seed):
    result = _ratio_of_pairs(a, b, seed)
    return {**result, "ratio": float(np.mean(a) / np.mean(b))}
