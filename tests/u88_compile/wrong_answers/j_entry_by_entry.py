"""Holds each entry against itself, so that rounding of an entry near 0 is a difference."""


def _agree(old, new, rtol):
    if old is None or new is None:
        return old is new
    if old.shape != new.shape:
        return False
    return bool(((old - new).abs() <= rtol * old.abs()).all())
