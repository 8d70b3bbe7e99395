"""Reads the loader to its end although only some batches were asked for."""

_limited = loader_supply


def loader_supply(loader, batches=None, step_time=None, clock=time.perf_counter):
    iterator = iter(loader)
    r = _limited(iterator, batches, step_time, clock)
    for _ in iterator:
        pass
    return r
