"""Seeds torch's generator anew after a stop, so that dropout begins again."""

_plain = closed_book_run
_load = torch.load


def closed_book_run(path, steps):
    start = torch.Generator().manual_seed(0).get_state()
    torch.load = lambda *args, **kwargs: {**_load(*args, **kwargs), "rng": start}
    try:
        return _plain(path, steps)
    finally:
        torch.load = _load
