"""Runs one step when asked for none.

check = "8.9.i/clocks_that_cannot_be"
stage = "numpy"
says = "Asked for no step, the clock printed one. There is nothing to print: refuse."
"""

_one = host_clock_table


def host_clock_table(phases, sync_after=(), steps=3):
    return _one(phases, sync_after, max(1, steps))
