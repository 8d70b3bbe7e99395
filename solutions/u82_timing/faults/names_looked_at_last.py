"""Runs the phases first and looks at the names afterwards.

check = "8.2.i/phases_that_make_no_sense"
stage = "torch"
says = "Phases ran although the call was refused. Look at the names before the first phase."
"""

_fair_phases = time_phases


def time_phases(phases, clock, sync_after=()):
    names = [name for name, _ in phases]
    if not names or len(set(names)) < len(names) or not set(sync_after) <= set(names):
        for _, run in phases:
            run()
    return _fair_phases(phases, clock, sync_after)
