"""Turns keys into text, as JSON does on its own.

check = "8.7.c/what_is_no_state_is_refused"
stage = "numpy"
says = "JSON makes text of a number that is a key, without a word: the state that comes back has another key."
"""

_right_flat = _flat


def _flat(value, arrays):
    if isinstance(value, dict):
        value = {str(key): item for key, item in value.items()}
    return _right_flat(value, arrays)
