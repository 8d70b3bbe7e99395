"""Records the event before the upload."""

def prefetch(batches, device):
    if not device.asynchronous:
        yield from batches
        return
    side, waiting = device.stream(), None

    def start(batch):
        with device.on(side):
            event = device.event()
            event.record(side)
            return tuple(device.upload(tensor) for tensor in batch), event

    for batch in batches:
        ready, waiting = waiting, start(batch)
        if ready is not None:
            yield _hand_over(ready, device)
            ready = None
    if waiting is not None:
        yield _hand_over(waiting, device)
