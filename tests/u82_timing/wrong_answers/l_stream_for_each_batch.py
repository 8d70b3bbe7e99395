"""Makes a new copy stream for every batch."""


def prefetch(batches, device):
    if not device.asynchronous:
        yield from batches
        return
    waiting = None

    def start(batch):
        side = device.stream()
        with device.on(side):
            uploaded = tuple(device.upload(tensor) for tensor in batch)
            event = device.event()
            event.record(side)
        return uploaded, event

    for batch in batches:
        ready, waiting = waiting, start(batch)
        if ready is not None:
            yield _hand_over(ready, device)
            ready = None
    if waiting is not None:
        yield _hand_over(waiting, device)
