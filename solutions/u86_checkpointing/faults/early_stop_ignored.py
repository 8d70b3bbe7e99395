"""Leaves early stop on, whatever is asked for.

check = "8.6.i/flops_of_both_phases"
stage = "torch"
says = "With early_stop=False the last product of each segment is run again, too. The setting was not passed on."
"""

_stopping_report = recompute_report


def recompute_report(model, x, segments, meter, early_stop=True):
    return _stopping_report(model, x, segments, meter)
