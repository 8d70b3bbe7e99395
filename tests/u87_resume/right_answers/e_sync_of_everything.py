"""Forces everything there is to the disk, before the rename and after it."""


def atomic_write(path, data):
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError("not bytes")
    path = Path(path)
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
        os.sync()
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    os.sync()
