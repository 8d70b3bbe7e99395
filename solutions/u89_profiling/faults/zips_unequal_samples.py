"""Pairs as many times as there are.

check = "8.9.e/samples_that_are_no_pairs"
stage = "numpy"
says = "The longer list was cut to the shorter one. A time without a partner means that the pairs may be shifted: refuse it."
# the checks of many cases have this one among them
also = ["8.9.e/a_bad_time_anywhere"]
"""

_equal_lengths = paired_bootstrap


def paired_bootstrap(a, b, seed):
    shorter = min(len(a), len(b))
    return _equal_lengths(a[:shorter], b[:shorter], seed)
