"""Saves the step and then the rest into one open file.

check = "8.7.h/the_file_is_the_state_under_its_name"
stage = "torch"
says = "The format of torch.save is an archive and no stream: of two saves into one file neither can be relied on. Save one dict."
also = [
  "8.7.h/a_kill_at_each_call_leaves_one_that_loads",
  "8.7.h/a_power_loss_leaves_one_that_loads",
  "8.7.h/a_failed_save_leaves_the_old_ones",
]
source = "pytorch/pytorch#61923"
"""


def save_checkpoint(state, folder, keep=3):
    if keep < 1:
        raise ValueError("keep")
    folder = Path(folder)
    path = folder / f"step-{state['step']:08d}.pt"
    buffer = io.BytesIO()
    torch.save(state, buffer)
    buffer = io.BytesIO()
    torch.save(state["step"], buffer)
    torch.save(state, buffer)
    _write_whole(path, buffer.getbuffer())
    for old in _checkpoints(folder)[keep:]:
        if old != path:
            old.unlink()
    return str(path)
