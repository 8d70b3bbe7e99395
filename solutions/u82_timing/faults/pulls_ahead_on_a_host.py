"""Pulls a batch ahead also where nothing overlaps.

check = "8.2.l/a_host_passes_batches_on"
stage = "torch"
says = "A batch was pulled ahead of time on a CPU, where nothing is gained by it and a batch more is in memory."
"""

_fair_prefetch = prefetch


def prefetch(batches, device):
    if device.asynchronous:
        yield from _fair_prefetch(batches, device)
        return
    waiting = None
    for batch in batches:
        if waiting is not None:
            yield waiting
        waiting = batch
    if waiting is not None:
        yield waiting
