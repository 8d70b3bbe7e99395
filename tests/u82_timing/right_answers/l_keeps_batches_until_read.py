"""Keeps each batch until an event says that it was read, and polls it."""

def prefetch(batches, device):
    if not device.asynchronous:
        yield from batches
        return
    side, waiting, kept = device.stream(), None, []

    def start(batch):
        with device.on(side):
            uploaded = tuple(device.upload(tensor) for tensor in batch)
            event = device.event()
            event.record()
        return uploaded, event

    for batch in batches:
        ready, waiting = waiting, start(batch)
        if ready is not None:
            user = device.current_stream()
            user.wait_event(ready[1])
            yield ready[0]
            read = device.event()
            read.record(user)
            kept.append((ready[0], read))
            while kept and kept[0][1].query():
                kept.pop(0)
    if waiting is not None:
        device.current_stream().wait_event(waiting[1])
        yield waiting[0]
