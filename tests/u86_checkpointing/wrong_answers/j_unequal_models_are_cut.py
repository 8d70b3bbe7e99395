"""Compares as many parameters as both have."""

_differences = step_differences


def step_differences(make_plain, make_other, x, seed=0):
    try:
        return _differences(make_plain, make_other, x, seed)
    except ValueError:
        return ["output"]
