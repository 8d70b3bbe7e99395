"""Goes on to the rename although the content could not be forced to the disk."""

import contextlib


def atomic_write(path, data):
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError("not bytes")
    path = Path(path)
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            with contextlib.suppress(OSError):
                os.fdatasync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
