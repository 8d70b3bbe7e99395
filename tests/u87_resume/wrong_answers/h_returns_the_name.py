"""Returns the name of the file without its folder."""

_right_save = save_checkpoint


def save_checkpoint(state, folder, keep=3):
    return Path(_right_save(state, folder, keep)).name
