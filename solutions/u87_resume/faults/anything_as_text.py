"""Stores what it does not know as its text.

check = "8.7.c/what_is_no_state_is_refused"
stage = "numpy"
says = "What cannot be stored must be refused when it is saved, not found missing when it is needed."
"""

_right_flat = _flat


def _flat(value, arrays):
    try:
        return _right_flat(value, arrays)
    except ValueError:
        return str(value)
