"""Uses next(iterator) instead of trainer.fetch."""


def _fetch(trainer, loader, iterator):
    if iterator is not None:
        try:
            return next(iterator), iterator
        except StopIteration:
            pass
    iterator = iter(loader)
    try:
        return next(iterator), iterator
    except StopIteration:
        raise ValueError("the loader has no batch") from None
