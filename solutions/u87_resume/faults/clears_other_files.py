"""Takes every .pt file for a checkpoint of its own.

check = "8.7.h/the_highest_steps_are_kept"
stage = "torch"
says = "Files with other names are somebody else's: the best model was one of them."
"""


def save_checkpoint(state, folder, keep=3):
    if keep < 1:
        raise ValueError("keep")
    folder = Path(folder)
    path = folder / f"step-{state['step']:08d}.pt"
    buffer = io.BytesIO()
    torch.save(state, buffer)
    _write_whole(path, buffer.getbuffer())
    found = sorted(folder.glob("*.pt"), key=lambda path: int("0" + re.sub(r"\D", "", path.stem)))
    for old in found[:-keep]:
        if old != path:
            old.unlink()
    return str(path)
