"""Stops at the first difference."""

_differences = step_differences


def step_differences(make_plain, make_other, x, seed=0):
    return _differences(make_plain, make_other, x, seed)[:1]
