"""Averages the differences before it compares them.

check = "8.9.o/each_gradient_by_name_and_value"
stage = "torch"
says = "The mean of the differences was compared, in which a single wrong entry disappears. Every entry has to agree."
"""


def _agree(old, new, rtol):
    if old is None or new is None:
        return old is new
    return old.shape == new.shape and bool((old - new).abs().mean() <= rtol * old.abs().max())
