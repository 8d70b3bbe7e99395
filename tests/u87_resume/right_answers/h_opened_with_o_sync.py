"""Opens the temporary file with O_SYNC: each write returns when it is on the disk."""


def save_checkpoint(state, folder, keep=3):
    if keep < 1:
        raise ValueError("keep")
    folder = Path(folder)
    path = folder / f"step-{state['step']:08d}.pt"
    buffer = io.BytesIO()
    torch.save(state, buffer)
    temporary = folder / f".{path.name}.new"
    def synchronous(name, flags):
        return os.open(name, flags | os.O_SYNC, 0o644)

    try:
        with open(temporary, "wb", opener=synchronous) as file:
            file.write(buffer.getbuffer())
        os.replace(temporary, path)
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    for old in _checkpoints(folder)[keep:]:
        if old != path:
            old.unlink()
    return str(path)
