"""Forgets the loss and the total weight of the labels.

check = "8.3.h/live_forward_and_backward"
stage = "numpy"
says = "Eight bytes are missing: the loss and the total weight of the labels are tensors, too."
also = ["8.3.h/live_update", "8.3.h/live_kept_gradients"]
"""

_whole_forward = _forward


def _forward(live, outs):
    found = _whole_forward(live, outs)
    return {**found, "peak": found["peak"] - 8, "after": found["after"] - 8}
