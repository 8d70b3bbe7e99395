"""Refuses the empty state."""

_right_pack = pack_state


def pack_state(state):
    if not state:
        raise ValueError("nothing to pack")
    return _right_pack(state)
