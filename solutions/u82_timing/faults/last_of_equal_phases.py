"""Blames the last of equal phases.

check = "8.2.i/the_first_of_equal_phases_is_blamed"
stage = "torch"
says = "Of equal phases the last was blamed. The first counts."
"""

_fair_phases = time_phases


def time_phases(phases, clock, sync_after=()):
    table = _fair_phases(phases, clock, sync_after)
    names = list(table["host"])[::-1]
    return {**table, "blamed": max(names, key=table["host"].get)}
