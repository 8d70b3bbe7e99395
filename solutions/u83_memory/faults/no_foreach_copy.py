"""Forgets the temporaries of foreach.

check = "8.3.h/live_update"
stage = "numpy"
says = "The update needs room of its own: with foreach=True AdamW makes one copy of all parameters while it works."
"""

_roomy = _room


def _room(tensors, foreach):
    return 0 if foreach else _roomy(tensors, foreach)
