"""Leaves its temporary file behind when the disk is full.

check = "8.7.e/a_full_disk_leaves_the_old"
stage = "numpy"
says = "Each failed save leaves a file, on a disk that is full already. Remove it before the error goes on."
"""


def atomic_write(path, data):
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError("not bytes")
    path = Path(path)
    temporary = path.with_name(path.name + ".tmp")
    with open(temporary, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
