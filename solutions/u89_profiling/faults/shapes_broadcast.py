"""Compares tensors of different shapes by broadcasting.

check = "8.9.o/nothing_agrees_by_accident"
stage = "torch"
says = "Tensors of different shapes passed for equal, because subtracting them broadcasts. Compare the shapes first."
"""

_same_shape_agrees = _agree


def _agree(old, new, rtol):
    if old is None or new is None:
        return old is new
    return _same_shape_agrees(*torch.broadcast_tensors(old, new), rtol)
