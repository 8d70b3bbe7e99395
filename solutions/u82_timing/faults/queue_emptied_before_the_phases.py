"""Waits before the first phase, without being asked to.

check = "8.2.i/phases_by_the_clock"
stage = "torch"
says = "There was a sync that nobody asked for. Where the syncs sit is what the table is about."
also = [
  "8.2.i/one_sync_moves_and_another_phase_is_slow",
]
"""

_fair_phases = time_phases


def time_phases(phases, clock, sync_after=()):
    if phases:
        clock.synchronize()
    return _fair_phases(phases, clock, sync_after)
