"""Waits for the copy stream after the next upload was started.

check = "8.2.l/uploads_run_beside_the_computation"
stage = "torch"
says = "Each batch waited for the upload of the next one. Keep the event of each batch with it."
"""


def prefetch(batches, device):
    if not device.asynchronous:
        yield from batches
        return
    copy_stream, waiting = device.stream(), None

    def start(batch):
        with device.on(copy_stream):
            return tuple(device.upload(tensor) for tensor in batch)

    def hand_over(uploaded):
        device.current_stream().wait_stream(copy_stream)
        for tensor in uploaded:
            device.record_stream(tensor, device.current_stream())
        return uploaded

    for batch in batches:
        ready, waiting = waiting, start(batch)
        if ready is not None:
            yield hand_over(ready)
            ready = None
    if waiting is not None:
        yield hand_over(waiting)
