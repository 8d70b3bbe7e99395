"""Loses the batch that is under way when the source ends."""

_plain = prefetch


def prefetch(batches, device):
    if not device.asynchronous:
        yield from batches
        return
    previous = None
    for batch in _plain(batches, device):
        if previous is not None:
            yield previous
        previous = batch
