"""Turns negative integers round, of which NumPy's smallest one has no counterpart."""


def _size(size):
    negative = isinstance(size, Integral) and not isinstance(size, bool) and size < 0
    return -to_bytes(-size) if negative else to_bytes(size)
