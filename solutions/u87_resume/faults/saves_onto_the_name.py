"""Calls torch.save with the final name.

check = "8.7.h/a_kill_at_each_call_leaves_one_that_loads"
stage = "torch"
says = "A checkpoint of the same step was there, and its name led to a torn file while it was saved again."
also = [
  "8.7.h/a_failed_save_leaves_the_old_ones",
]
source = "Lightning-AI/pytorch-lightning#688"
"""


def save_checkpoint(state, folder, keep=3):
    if keep < 1:
        raise ValueError("keep")
    folder = Path(folder)
    path = folder / f"step-{state['step']:08d}.pt"
    buffer = io.BytesIO()
    torch.save(state, buffer)
    torch.save(state, path)
    _sync(path)
    _sync(folder)
    for old in _checkpoints(folder)[keep:]:
        if old != path:
            old.unlink()
    return str(path)


def _sync(path):
    descriptor = os.open(path, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)
