"""Hands batches out while the copy stream is the current one.

check = "8.2.l/the_current_stream_stays_the_callers"
stage = "torch"
says = "The caller's work went into the copy stream. A generator keeps its `with` open while it is paused."
also = [
  "8.2.l/no_batch_is_used_before_it_has_arrived",
  "8.2.l/no_memory_is_written_while_it_is_read",
]
"""

_fair_prefetch = prefetch


def prefetch(batches, device):
    if not device.asynchronous:
        yield from batches
        return
    side = device.stream()
    for batch in _fair_prefetch(batches, device):
        with device.on(side):
            device.current_stream().wait_stream(side)
            yield batch
