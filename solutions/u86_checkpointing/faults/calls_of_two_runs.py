"""Counts calls over the run for bytes and the run for FLOPs.

check = "8.6.i/calls_of_one_step"
stage = "torch"
says = "The calls of two steps were added up, one for each instrument. Count in one of them."
"""

_one_step = recompute_report


def recompute_report(model, x, segments, meter, early_stop=True):
    report = _one_step(model, x, segments, meter, early_stop)
    return {**report, "calls": [2 * calls for calls in report["calls"]]}
