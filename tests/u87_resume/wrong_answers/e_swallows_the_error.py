"""Reports a failed save as a message and returns."""

_right = atomic_write


def atomic_write(path, data):
    try:
        _right(path, data)
    except OSError as error:
        print("could not save:", error)
