"""Makes all steps again from the first one and returns the last losses."""

_from_the_file = closed_book_run


def closed_book_run(path, steps):
    done = torch.load(path, weights_only=True)["done"] if os.path.exists(path) else 0
    again = f"{path}.again"
    losses = _from_the_file(again, steps)
    os.replace(again, path)
    return losses[done:]
