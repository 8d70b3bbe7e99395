"""Renames a checkpoint whose content was never forced to the disk.

check = "8.7.h/a_power_loss_leaves_one_that_loads"
stage = "torch"
says = "The rename, and the removal of the old ones, may be on the disk before the content is. Call os.fsync before the rename."
"""


def save_checkpoint(state, folder, keep=3):
    if keep < 1:
        raise ValueError("keep")
    folder = Path(folder)
    path = folder / f"step-{state['step']:08d}.pt"
    buffer = io.BytesIO()
    torch.save(state, buffer)
    temporary = folder / "checkpoint.tmp"
    try:
        torch.save(state, temporary)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    descriptor = os.open(folder, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)
    for old in _checkpoints(folder)[keep:]:
        if old != path:
            old.unlink()
    return str(path)
