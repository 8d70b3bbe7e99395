"""Asks whether a difference is above the tolerance, which NaN never is.

check = "8.8.j/wrong_outputs_are_found"
stage = "torch"
says = "NaN passed for equal: it is not above the tolerance, and not below it either. Ask what must hold."
"""


def _agree(old, new, rtol):
    if old is None or new is None:
        return old is new
    if old.shape != new.shape:
        return False
    return not bool(((old - new).abs() > rtol * old.abs().max()).any()) if old.numel() else True
