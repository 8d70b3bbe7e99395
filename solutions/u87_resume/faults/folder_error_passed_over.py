"""Passes over an error in forcing the folder, and returns.

check = "8.7.e/a_full_disk_leaves_the_old"
stage = "numpy"
says = "The new name could not be forced to the disk, and nobody is told: after a power loss the old content is back."
"""


def atomic_write(path, data):
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError("not bytes")
    path = Path(path)
    temporary = path.with_name(path.name + ".tmp")
    try:
        with open(temporary, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    except OSError:
        pass
    finally:
        os.close(folder)
