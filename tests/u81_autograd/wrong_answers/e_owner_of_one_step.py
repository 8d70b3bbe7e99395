"""Follows `base` by one step and takes the bytes of a broadcast view."""

def _owner(array):
    return array if array.base is None or array.size == 0 else array
