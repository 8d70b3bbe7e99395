"""Makes bytes of whatever comes, apart from text."""

_right_write = atomic_write


def atomic_write(path, data):
    if isinstance(data, str):
        raise TypeError("text")
    _right_write(path, bytes(data))
