"""Asks whether a difference is larger than the tolerance, which NaN never is."""


def _agree(old, new, rtol):
    if old is None or new is None:
        return old is new
    return old.shape == new.shape and not bool(((old - new).abs() > rtol * old.abs().max()).any())
