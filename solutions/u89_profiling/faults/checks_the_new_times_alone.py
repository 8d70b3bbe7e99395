"""Looks for bad times in b alone.

check = "8.9.e/a_bad_time_anywhere"
stage = "numpy"
says = "A bad old time got through. Both lists can have one, anywhere."
"""

_both = paired_bootstrap


def paired_bootstrap(a, b, seed):
    a = [x if math.isfinite(x) and x > 0 else 1.0 for x in a]
    return _both(a, b, seed)
