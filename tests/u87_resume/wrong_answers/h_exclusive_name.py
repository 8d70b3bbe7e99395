"""Writes a temporary file that must not be there yet, under one name for each step."""

def _write_whole(path, data):
    temporary = path.with_name(f".{path.name}.part")
    file = open(temporary, "xb")
    try:
        with file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
