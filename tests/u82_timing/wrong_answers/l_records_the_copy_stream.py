"""Records the copy stream, which owns the memory anyway."""

def prefetch(batches, device):
    if not device.asynchronous:
        yield from batches
        return
    side, waiting = device.stream(), None

    def start(batch):
        with device.on(side):
            uploaded = tuple(device.upload(tensor) for tensor in batch)
            for tensor in uploaded:
                device.record_stream(tensor, device.current_stream())
            event = device.event()
            event.record(side)
        return uploaded, event

    def hand_over(started):
        device.current_stream().wait_event(started[1])
        return started[0]

    for batch in batches:
        ready, waiting = waiting, start(batch)
        if ready is not None:
            yield hand_over(ready)
            ready = None
    if waiting is not None:
        yield hand_over(waiting)
