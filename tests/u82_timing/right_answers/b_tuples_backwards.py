"""Gives tuples, the last race first."""

_plain = races


def races(ops):
    return tuple((one, other) for one, other in reversed(_plain(ops)))
