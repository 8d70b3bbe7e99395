"""Counts the entries of a memoryview for its bytes."""

_right_write = atomic_write


def atomic_write(path, data):
    if isinstance(data, memoryview):
        data = data.tobytes()[: len(data)]
    _right_write(path, data)
