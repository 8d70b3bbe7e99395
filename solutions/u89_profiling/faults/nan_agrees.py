"""Asks whether a difference is above the tolerance, which NaN never is.

check = "8.9.o/nothing_agrees_by_accident"
stage = "torch"
says = "NaN passed for equal: it is not above the tolerance, and it is not below it either. Ask what must hold, not what must not."
"""


def _agree(old, new, rtol):
    if old is None or new is None:
        return old is new
    scale = old.abs().max()
    return old.shape == new.shape and not bool(((old - new).abs() > rtol * scale).any())
