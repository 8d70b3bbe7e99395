"""Asks isinstance, for which True is an int.

check = "8.8.b/the_first_guard_that_fails"
stage = "numpy"
says = "True passed for 1. isinstance says that a bool is an int; a guard is on the type itself."
also = ["8.8.b/symbols_stand_for_two_and_more"]
"""


def _mismatch(old, new, dynamic, _right=_mismatch):
    if type(old) is int and type(new) is bool:
        new = int(new)
    return _right(old, new, dynamic)
