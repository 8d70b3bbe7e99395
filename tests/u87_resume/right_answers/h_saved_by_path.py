"""torch.save opens the temporary file itself; it is opened again to be synchronised."""


def save_checkpoint(state, folder, keep=3):
    if keep < 1:
        raise ValueError
    path = Path(folder, f"step-{state['step']:08d}.pt")
    beside = path.with_suffix(".new")
    try:
        torch.save(state, beside)
        for place in (beside, None):
            descriptor = os.open(place or folder, os.O_RDONLY)
            os.fsync(descriptor)
            os.close(descriptor)
            if place:
                os.rename(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    for old in _checkpoints(folder)[keep:]:
        if old != path:
            os.remove(old)
    return path
