"""Forces the content with fdatasync and cleans up after whatever fails, behind the rename too."""


def atomic_write(path, data):
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError("not bytes")
    temporary = f"{path}.part"
    try:
        with open(temporary, "wb", buffering=0) as file:
            rest = memoryview(data).cast("B")
            while rest:
                rest = rest[file.write(rest) :]
            os.fdatasync(file)
        os.replace(temporary, path)
        folder = os.open(os.path.dirname(path) or ".", os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except BaseException:
        os.unlink(temporary)  # behind the rename this raises in its turn
        raise
