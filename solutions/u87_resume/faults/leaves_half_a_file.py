"""Leaves its temporary file behind when the save fails.

check = "8.7.h/a_failed_save_leaves_the_old_ones"
stage = "torch"
says = "Each failed save leaves a file, on a disk that is full already."
"""


def save_checkpoint(state, folder, keep=3):
    if keep < 1:
        raise ValueError("keep")
    folder = Path(folder)
    path = folder / f"step-{state['step']:08d}.pt"
    buffer = io.BytesIO()
    torch.save(state, buffer)
    temporary = folder / "checkpoint.tmp"
    with open(temporary, "wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
    descriptor = os.open(folder, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)
    for old in _checkpoints(folder)[keep:]:
        if old != path:
            old.unlink()
    return str(path)
