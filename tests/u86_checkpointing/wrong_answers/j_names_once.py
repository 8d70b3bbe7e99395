"""Does not look at the random state if something else differs."""

_all_of_them = step_differences


def step_differences(make_plain, make_other, x, seed=0):
    found = _all_of_them(make_plain, make_other, x, seed)
    return found[:-1] if len(found) > 1 and found[-1] == "random state" else found
