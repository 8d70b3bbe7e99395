"""Does not force the folder to the disk after the rename.

check = "8.7.e/the_new_content_is_safe_on_return"
stage = "numpy"
says = "A rename changes the folder, and the folder has to be forced to the disk as well: os.open it, os.fsync it."
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
