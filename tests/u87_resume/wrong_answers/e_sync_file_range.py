"""Begins to write the content out with sync_file_range, which waits for nothing and no metadata."""

import ctypes


def atomic_write(path, data):
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError("not bytes")
    path = Path(path)
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            ctypes.CDLL(None).sync_file_range(file.fileno(), 0, 0, 2)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
