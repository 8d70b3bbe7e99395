"""Compares only gradients that both models have.

check = "8.6.j/each_difference_by_its_name"
stage = "torch"
says = "A parameter that has no gradient in one of the models went through. A missing gradient is the sign of the old form of checkpoint."
# the same result is looked at there
also = [
  "8.6.j/bits_decide",
]
"""

_all_gradients = _same_bits


def _same_bits(mine, theirs):
    return mine is None or theirs is None or _all_gradients(mine, theirs)
