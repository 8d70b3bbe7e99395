"""Writes with one os.write and does not look how much was written.

check = "8.7.e/a_kill_at_any_byte_leaves_the_old"
stage = "numpy"
says = "os.write may write less than it was given, and says so. On a disk that fills up this makes a short file of the final name."
also = [
  "8.7.e/a_full_disk_leaves_the_old",
]
"""


def atomic_write(path, data):
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError("not bytes")
    path = Path(path)
    temporary = path.with_name(path.name + ".tmp")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        try:
            os.write(descriptor, data)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
