"""Sorts the checkpoints by their names."""

def save_checkpoint(state, folder, keep=3):
    if keep < 1:
        raise ValueError("keep")
    folder = Path(folder)
    path = folder / f"step-{state['step']:08d}.pt"
    buffer = io.BytesIO()
    torch.save(state, buffer)
    _write_whole(path, buffer.getbuffer())
    for old in sorted(_checkpoints(folder), key=lambda path: path.name, reverse=True)[keep:]:
        if old != path:
            old.unlink()
    return str(path)
