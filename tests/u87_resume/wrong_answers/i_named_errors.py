"""Passes over a file for five kinds of errors, which are not all that there are."""


def load_latest(folder):
    import pickle

    errors = (RuntimeError, EOFError, OSError, IndexError, pickle.UnpicklingError)
    for path in _checkpoints(folder):
        try:
            return torch.load(path, map_location="cpu", weights_only=True)
        except errors:
            continue
    raise FileNotFoundError(folder)
