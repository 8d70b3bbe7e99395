"""Counts one temporary for each tensor of the update.

check = "8.3.h/live_update"
stage = "numpy"
says = "This is what one temporary a tensor gives. Tensor by tensor there are two, and the last one of the tensor before is still held."
also = ["8.3.h/live_kept_gradients", "8.3.h/the_phase_with_the_peak"]
"""

_two_rooms = _room


def _room(tensors, foreach):
    return _two_rooms(tensors, foreach) if foreach else max(tensors)
