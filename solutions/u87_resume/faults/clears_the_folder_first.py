"""Removes the old checkpoints before it writes the new one.

check = "8.7.h/a_kill_at_each_call_leaves_one_that_loads"
stage = "torch"
says = "While the new one was being written, none was there."
also = [
  "8.7.h/a_power_loss_leaves_one_that_loads",
  "8.7.h/a_failed_save_leaves_the_old_ones",
]
"""


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
