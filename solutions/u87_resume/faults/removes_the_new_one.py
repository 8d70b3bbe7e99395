"""Removes the checkpoint that it has just written, if others have higher steps.

check = "8.7.h/the_highest_steps_are_kept"
stage = "torch"
says = "After a step back the new checkpoint has a lower step than older ones, and it was removed at once."
"""


def save_checkpoint(state, folder, keep=3):
    if keep < 1:
        raise ValueError("keep")
    folder = Path(folder)
    path = folder / f"step-{state['step']:08d}.pt"
    buffer = io.BytesIO()
    torch.save(state, buffer)
    _write_whole(path, buffer.getbuffer())
    for old in _checkpoints(folder)[keep:]:
        old.unlink()
    return str(path)
