"""A file without a name, which gets one when its content is on the disk."""

import secrets


def atomic_write(path, data):
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError
    path = Path(path)
    descriptor = os.open(path.parent, os.O_WRONLY | os.O_TMPFILE)
    beside = path.with_name(secrets.token_hex(4))
    try:
        with open(descriptor, "wb", closefd=False) as file:
            file.write(data)
        os.fsync(descriptor)
        os.link(f"/proc/self/fd/{descriptor}", beside, src_dir_fd=descriptor)
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    finally:
        os.close(descriptor)
    os.sync()
