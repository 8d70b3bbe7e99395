"""Leaves all syncs out, so that the read of the loss pays for the step.

check = "8.2.i/one_sync_moves_and_another_phase_is_slow"
stage = "torch"
says = "The read of the loss was blamed although a phase before it ended with a sync. The first call that must wait pays for all work before it."
source = "pytorch/pytorch#80129"
also = [
  "8.2.i/phases_by_the_clock",
]
"""

_fair_phases = time_phases


def time_phases(phases, clock, sync_after=()):
    if not set(sync_after) <= {name for name, _ in phases}:
        return _fair_phases(phases, clock, sync_after)
    return _fair_phases(phases, clock, ())
