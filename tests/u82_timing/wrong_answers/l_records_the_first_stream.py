"""Lets the right stream wait, but tells the allocator of the stream of the first batch."""


def prefetch(batches, device):
    if not device.asynchronous:
        yield from batches
        return
    side, user, waiting = device.stream(), device.current_stream(), None

    def start(batch):
        with device.on(side):
            uploaded = tuple(device.upload(tensor) for tensor in batch)
            event = device.event()
            event.record(side)
        return uploaded, event

    def hand_over(started):
        device.current_stream().wait_event(started[1])
        for tensor in started[0]:
            device.record_stream(tensor, user)
        return started[0]

    for batch in batches:
        ready, waiting = waiting, start(batch)
        if ready is not None:
            yield hand_over(ready)
            ready = None
    if waiting is not None:
        yield hand_over(waiting)
