"""Makes a list of all sizes first, and does not end where they do not."""

_o_lazy = first_fit


def first_fit(attempt, sizes):
    return _o_lazy(attempt, list(sizes))
