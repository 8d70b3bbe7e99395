"""Compares NaN with ==, so that it is compiled anew at every call.

check = "8.8.b/the_first_guard_that_fails"
stage = "numpy"
says = "NaN differs from NaN here, so that a function with a NaN argument is compiled at every call."
"""


def _mismatch(old, new, dynamic, _right=_mismatch):
    if isinstance(old, float) and isinstance(new, float) and None not in dynamic and old != new:
        return "value", None, old, new
    return _right(old, new, dynamic)
