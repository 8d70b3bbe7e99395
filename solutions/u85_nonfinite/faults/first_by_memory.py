"""Searches a transposed output in the order of memory.

check = "8.5.h/first_entry_however_it_lies"
stage = "torch"
says = "In a transposed view the first entry in memory is not the one with the smallest index."
"""

_by_index = _first_bad


def _first_bad(tensor, allow_masked=False):
    if tensor.dim() == 2 and not tensor.is_contiguous():
        found = _by_index(tensor.t(), allow_masked)
        return found and (found[0][::-1], found[1])
    return _by_index(tensor, allow_masked)
