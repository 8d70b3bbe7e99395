"""Demands that optimized code gives the same bits.

check = "8.9.o/gain_or_null"
stage = "torch"
says = "Bitwise equality was demanded. Code that adds in another order rounds differently: declare a tolerance and hold both against it."
# the declared tolerance is its subject
also = ["8.9.o/changed_outputs_are_rejected"]
"""

_within_rtol = _agree


def _agree(old, new, rtol):
    return _within_rtol(old, new, 0.0)
