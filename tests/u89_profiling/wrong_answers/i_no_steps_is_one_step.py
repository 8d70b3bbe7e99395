"""Runs one step when asked for none."""

_one = host_clock_table


def host_clock_table(phases, sync_after=(), steps=3):
    return _one(phases, sync_after, max(1, steps))
