"""Drops the phase without a sync from the others' time as well.

check = "mini-project.a/one_sync_less_moves_the_time"
stage = "torch"
says = "The table without a sync is the honest one here. Leave out the sync, not the reading of the clock."
"""


_always = phase_table


def phase_table(trainer, batches, steps, warmup, clock, sync, unsynced=None):
    return _always(trainer, batches, steps, warmup, clock, sync)
