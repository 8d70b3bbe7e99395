"""Tries the largest size first, whatever the order."""

_n_ordered = first_fit


def first_fit(attempt, sizes):
    return _n_ordered(attempt, sorted(sizes, reverse=True))
