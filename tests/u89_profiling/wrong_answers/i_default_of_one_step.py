"""Runs one step by default instead of three."""

_three = host_clock_table


def host_clock_table(phases, sync_after=(), steps=1):
    return _three(phases, sync_after, steps)
