"""Counts the wait for the batch as part of the forward.

check = "mini-project.a/each_phase_has_its_own_time"
stage = "torch"
also = ["mini-project.a/one_sync_less_moves_the_time"]
says = "This is what comes out when the wait for data is inside the forward. Read the clock when the batch is there."
"""


_parted = phase_table


def phase_table(trainer, batches, steps, warmup, clock, sync, unsynced=None):
    table = _parted(trainer, batches, steps, warmup, clock, sync, unsynced)
    both = zip(table["data_wait"], table["forward"], strict=True)
    table["forward"] = [wait + forward for wait, forward in both]
    table["data_wait"] = [0.0] * len(table["forward"])
    return table
