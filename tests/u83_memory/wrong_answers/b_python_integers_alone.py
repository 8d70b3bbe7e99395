"""Knows the integers of Python alone."""

_b_any = round_size


def round_size(nbytes):
    if not isinstance(nbytes, int):
        raise ValueError(nbytes)
    return _b_any(nbytes)
