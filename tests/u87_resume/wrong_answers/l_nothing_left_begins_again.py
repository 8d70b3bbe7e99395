"""Begins a new file when nothing is left to be done."""

_right_run = closed_book_run


def closed_book_run(path, steps):
    if os.path.exists(path) and torch.load(path, weights_only=True)["done"] == steps:
        os.unlink(path)
    return _right_run(path, steps)
