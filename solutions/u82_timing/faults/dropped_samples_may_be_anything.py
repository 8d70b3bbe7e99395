"""Looks at the samples after the warm-up was dropped.

check = "8.2.e/samples_that_are_none"
stage = "numpy"
says = "A sample that is no time was accepted because it was in the warm-up. A clock that once gave NaN is not to be trusted later."
"""

_fair_summary = summarize


def summarize(samples, warmup=0):
    if warmup < 0:
        raise ValueError("a negative warm-up")
    return _fair_summary(list(samples)[warmup:], 0)
