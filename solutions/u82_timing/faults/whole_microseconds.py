"""Rounds what is printed to whole microseconds.

check = "8.2.c/live_operators"
stage = "numpy"
says = "The result was rounded to whole microseconds. Operators take fractions of them."
"""

_fair_measured = measured


def measured(before, region, policy, sync=1):
    return round(_fair_measured(before, region, policy, sync))
