"""Averages over all steps, warm-up included.

check = "8.9.b/warmup_left_out"
stage = "numpy"
says = "The first steps are in: they allocate, compile and fill caches, and happen once. Leave the warm-up out of every number."
# the checks of many cases have this one among them
also = ["8.9.b/every_loop", "8.9.b/every_incomplete_measurement"]
"""

_warm_phase_table = phase_table


def phase_table(events, waits, warmup=0):
    if warmup >= len(waits):
        raise ValueError("no step is left")
    return _warm_phase_table(events, waits, 0)
