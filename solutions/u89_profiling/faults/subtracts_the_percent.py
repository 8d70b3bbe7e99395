"""Uses 0.98 and 0.95 instead of 1 / 1.02 and 1 / 1.05.

check = "8.9.e/intervals_on_both_sides_of_each_line"
stage = "numpy"
says = "The lines below 1 are 0.98 and 0.95. A ratio has its mirror image at its inverse: 1 / 1.02 and 1 / 1.05."
"""

_lines = paired_bootstrap


def paired_bootstrap(a, b, seed):
    r = _lines(a, b, seed)
    if len(a) >= 20:
        low, high = r["low"], r["high"]
        r["verdict"] = (
            "gain"
            if low > 1.02
            else "slower"
            if high < 0.98
            else "null"
            if low >= 0.95 and high <= 1.05
            else "inconclusive"
        )
    return r
