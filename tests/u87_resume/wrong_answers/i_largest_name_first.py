"""Sorts the checkpoints by their names."""

def load_latest(folder):
    for path in sorted(_checkpoints(folder), key=lambda path: path.name, reverse=True):
        with contextlib.suppress(Exception):
            return torch.load(path, weights_only=True)
    raise FileNotFoundError(folder)
