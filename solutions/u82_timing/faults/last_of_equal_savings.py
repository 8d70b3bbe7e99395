"""Takes the last of equal savings.

check = "8.2.f/the_first_of_equal_savings"
stage = "numpy"
says = "Of equal savings the last was taken. The first in the order launch, compute, copy, sync counts."
also = [
  "8.2.f/what_any_program_is_bound_by",
]
"""

_fair_bottleneck = bottleneck


def bottleneck(ops, sync=1):
    result = _fair_bottleneck(ops, sync)
    words = list(result["savings"])[::-1]
    return {**result, "bound": max(words, key=result["savings"].get)}
