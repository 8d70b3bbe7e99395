"""Compares output and gradients alone.

check = "8.6.j/buffers_are_compared"
stage = "torch"
says = "Statistics that moved twice were not seen: output and gradients are the same, the buffers are not."
source = "pytorch/pytorch#96136"
"""

_with_buffers = step_differences


def step_differences(make_plain, make_other, x, seed=0):
    found = _with_buffers(make_plain, make_other, x, seed)
    return [name for name in found if not name.startswith("buffer ")]
