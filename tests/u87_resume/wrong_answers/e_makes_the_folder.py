"""Makes the folder if it is not there."""

_right = atomic_write


def atomic_write(path, data):
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    _right(path, data)
