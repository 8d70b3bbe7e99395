"""Forgets that the loop still holds the temporary of the tensor before."""

_h_rooms = _room


def _room(tensors, foreach):
    return _h_rooms(tensors, foreach) if foreach else 2 * max(tensors)
