"""Accepts symbols for places that do not exist, or cannot be one.

check = "8.8.b/places_that_are_none"
stage = "numpy"
says = "A symbol was accepted for a place that cannot be one: a missing argument or index, a size of 0 or 1, a bool."
"""


def guard_failure(example, args, dynamic=(), shared=(), _right=guard_failure):
    possible = _places(example)
    return _right(example, args, set(dynamic) & possible, set(shared) & possible & set(dynamic))
