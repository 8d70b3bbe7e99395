"""More synchronising than it takes."""

_plain = atomic_write


def atomic_write(path, data):
    if isinstance(data, (bytes, bytearray, memoryview)):
        os.sync()
    _plain(path, data)
    os.sync()
