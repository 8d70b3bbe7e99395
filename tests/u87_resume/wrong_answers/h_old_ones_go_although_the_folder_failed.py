"""Passes over an error in forcing the folder, and removes the old ones."""


def save_checkpoint(state, folder, keep=3):
    if keep < 1:
        raise ValueError("keep")
    folder = Path(folder)
    path = folder / f"step-{state['step']:08d}.pt"
    buffer = io.BytesIO()
    torch.save(state, buffer)
    temporary = folder / f".{path.name}.new"
    try:
        with open(temporary, "wb") as file:
            file.write(buffer.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    descriptor = os.open(folder, os.O_RDONLY)
    with contextlib.suppress(OSError):
        os.fsync(descriptor)
    os.close(descriptor)
    for old in _checkpoints(folder)[keep:]:
        if old != path:
            old.unlink()
    return str(path)
