"""Every call relative to a descriptor of the folder, which is opened first."""


def atomic_write(path, data):
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError
    place, name = os.path.split(path)
    folder = os.open(place or ".", os.O_RDONLY)
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        descriptor = os.open("." + name, flags, dir_fd=folder)
        try:
            with open(descriptor, "wb", buffering=0) as file:
                left = memoryview(data)
                while left:
                    left = left[file.write(left[:7000]) :]
                os.fsync(file)
            os.rename("." + name, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            os.unlink("." + name, dir_fd=folder)
            raise
        os.fsync(folder)
    finally:
        os.close(folder)
