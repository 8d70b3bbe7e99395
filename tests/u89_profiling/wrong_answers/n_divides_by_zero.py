"""Fails when the waits are too short for the clock."""

_infinite = loader_supply


def loader_supply(loader, batches=None, step_time=None, clock=time.perf_counter):
    r = _infinite(loader, batches, step_time, clock)
    1 / r["rate"] if r["rate"] != math.inf else 1 / 0
    return r
