"""Yields the batch in the type in which it came.

check = "8.2.l/every_batch_arrives_whole"
stage = "torch"
says = "A batch came as a list. Tuples were promised, whatever the source hands out."
"""

_fair_prefetch = prefetch


def prefetch(batches, device):
    for batch in _fair_prefetch(batches, device):
        yield list(batch) if device.asynchronous else batch
