"""Reads the clock before it waits.

check = "8.2.i/one_sync_moves_and_another_phase_is_slow"
stage = "torch"
says = "The wait came after the second reading, so that no phase pays for it and every phase shows its launches alone."
also = [
  "8.2.i/phases_by_the_clock",
]
"""

_fair_phases = time_phases


def time_phases(phases, clock, sync_after=()):
    if not phases or len(dict(phases)) < len(phases) or not set(sync_after) <= set(dict(phases)):
        return _fair_phases(phases, clock, sync_after)
    host = {}
    for name, run in phases:
        begin = clock.now()
        run()
        host[name] = clock.now() - begin
        if name in sync_after:
            clock.synchronize()
    return {"host": host, "blamed": max(host, key=host.get)}
