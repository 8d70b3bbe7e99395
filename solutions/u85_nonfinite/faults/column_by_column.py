"""Searches column by column.

check = "8.5.e/first_entry_of_an_array"
stage = "numpy"
says = "The search went column by column. The first entry is the one with the smallest index in row-major order, however the array lies in memory."
"""

_row_by_row = first_invalid


def first_invalid(trace, allow=()):
    found = _row_by_row([(name, np.asarray(array).T) for name, array in trace], allow)
    return found and (found[0], found[1][::-1], found[2])
