"""Puts the generator's words back, and not the half of a word that a draw may have left."""

_right_rest = rest_of_epoch


def rest_of_epoch(before, n, batch_size, position):
    return _right_rest({**before, "has_uint32": 0, "uinteger": 0}, n, batch_size, position)
