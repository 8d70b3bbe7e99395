"""Loads tensors to the device they were saved from, and passes over what this machine has not."""


def load_latest(folder):
    for path in _checkpoints(folder):
        with contextlib.suppress(Exception):
            return torch.load(path, weights_only=True)
    raise FileNotFoundError(folder)
