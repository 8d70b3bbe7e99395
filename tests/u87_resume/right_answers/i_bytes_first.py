"""Reads the file whole before torch sees it."""


def load_latest(folder):
    if not Path(folder).is_dir():
        raise FileNotFoundError(folder)
    for path in _checkpoints(folder):
        try:
            return torch.load(io.BytesIO(path.read_bytes()), "cpu", weights_only=True)
        except Exception as error:
            print(path.name, type(error).__name__)
    raise FileNotFoundError("none")
