"""Leaves the generator seeded.

check = "8.6.j/a_comparison_leaves_no_trace"
stage = "torch"
says = "The comparison left the generator where its own seed had put it. Whoever runs it in the middle of a training changes that training."
"""

_quiet_differences = step_differences


def step_differences(make_plain, make_other, x, seed=0):
    found = _quiet_differences(make_plain, make_other, x, seed)
    torch.manual_seed(seed)
    return found
