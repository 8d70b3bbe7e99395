"""Removes the old checkpoints before it writes the new one."""

def save_checkpoint(state, folder, keep=3):
    if keep < 1:
        raise ValueError("keep")
    folder = Path(folder)
    path = folder / f"step-{state['step']:08d}.pt"
    buffer = io.BytesIO()
    torch.save(state, buffer)
    if keep == 1:
        for old in _checkpoints(folder):
            old.unlink()
    _write_whole(path, buffer.getbuffer())
    for old in _checkpoints(folder)[keep:]:
        if old != path:
            old.unlink()
    return str(path)
