"""Divides the backward by the forward.

check = "8.6.i/flops_of_both_phases"
stage = "torch"
says = "This is the backward over the forward. The ratio is that of the whole step, forward and backward together."
"""

_whole_ratio = recompute_report


def recompute_report(model, x, segments, meter, early_stop=True):
    report = _whole_ratio(model, x, segments, meter, early_stop)
    flops = report["flops"]
    return {**report, "flops": {**flops, "ratio": flops["ratio"] - 1}}
