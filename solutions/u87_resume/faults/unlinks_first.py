"""Removes the old file before it renames the new one.

check = "8.7.e/a_kill_at_each_call_leaves_old_or_new"
stage = "numpy"
says = "Between the two calls there is no file of that name. os.replace needs no empty place."
also = [
  "8.7.e/a_power_loss_leaves_old_or_new",
  "8.7.e/a_full_disk_leaves_the_old",
]
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
        if path.exists():
            path.unlink()
        os.rename(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
