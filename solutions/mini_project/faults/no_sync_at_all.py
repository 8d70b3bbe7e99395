"""Reads the clock without waiting for the device.

check = "mini-project.a/each_phase_has_its_own_time"
stage = "torch"
also = ["mini-project.a/one_sync_less_moves_the_time"]
says = "This is what a clock of the host gives when nobody waits for the device: launches, and the rest where the queue fills up."
"""


_honest = phase_table


def phase_table(trainer, batches, steps, warmup, clock, sync, unsynced=None):
    return _honest(trainer, batches, steps, warmup, clock, lambda: None, unsynced)
