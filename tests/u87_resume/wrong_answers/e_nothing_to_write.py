"""Returns at once when there is nothing to write."""

_right_write = atomic_write


def atomic_write(path, data):
    if isinstance(data, (bytes, bytearray, memoryview)) and not data:
        return
    _right_write(path, data)
