"""Does not force the folder to the disk.

check = "8.7.h/the_new_one_is_safe_on_return"
stage = "torch"
says = "A rename changes the folder, and the folder has to be forced to the disk as well."
also = [
  "8.7.h/a_power_loss_leaves_one_that_loads",
]
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
        with open(temporary, "wb") as file:
            torch.save(state, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    for old in _checkpoints(folder)[keep:]:
        if old != path:
            old.unlink()
    return str(path)
