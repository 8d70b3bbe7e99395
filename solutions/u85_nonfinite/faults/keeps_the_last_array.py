"""Goes on after the first find and returns the last.

check = "8.5.e/first_bad_array"
stage = "numpy"
says = "What is found later may be a victim of the first. Return at the first find."
"""

_first_of_reversed = first_invalid


def first_invalid(trace, allow=()):
    return _first_of_reversed(list(trace)[::-1], allow)
