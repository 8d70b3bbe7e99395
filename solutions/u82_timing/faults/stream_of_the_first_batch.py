"""Lets the stream of the first batch wait for every batch.

check = "8.2.l/no_batch_is_used_before_it_has_arrived"
stage = "torch"
says = "The stream that was current at the first batch waits for all of them. Ask for the current stream when you hand a batch out: the caller may have chosen another."
also = [
  "8.2.l/no_memory_is_written_while_it_is_read",
]
"""


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
        user.wait_event(started[1])
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
