"""Renames a file whose content was never forced to the disk.

check = "8.7.e/a_power_loss_leaves_old_or_new"
stage = "numpy"
says = "flush hands bytes to the kernel, which may write them minutes later, after the new name. Call os.fsync before the rename."
also = [
  "8.7.e/the_new_content_is_safe_on_return",
]
"""


def atomic_write(path, data):
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError("not bytes")
    path = Path(path)
    temporary = path.with_name(path.name + ".tmp")
    try:
        temporary.write_bytes(data)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
