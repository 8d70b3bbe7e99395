"""Does not look where the generator stands after the step.

check = "8.6.j/each_difference_by_its_name"
stage = "torch"
says = "One of the models leaves the generator elsewhere, which was not seen: the next step draws other numbers."
"""

_with_random_state = step_differences


def step_differences(make_plain, make_other, x, seed=0):
    found = _with_random_state(make_plain, make_other, x, seed)
    return [name for name in found if name != "random state"]
