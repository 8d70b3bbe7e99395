"""Demands that optimized code gives the same bits.

check = "8.9.o/gain_or_null"
stage = "torch"
says = "Bitwise equality was demanded. Code that adds in another order rounds differently: declare a tolerance and hold both against it."
# the declared tolerance is its subject, and other checks hold sound parts against it as well
also = ["8.9.o/changed_outputs_are_rejected", "8.9.o/sound_code_is_not_rejected", "8.9.o/nothing_agrees_by_accident", "8.9.o/each_gradient_by_name_and_value", "8.9.o/resumed_bit_for_bit_in_another_process"]
"""

_within_rtol = _agree


def _agree(old, new, rtol):
    return _within_rtol(old, new, 0.0)
