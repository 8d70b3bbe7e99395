"""Reads the clock in a context manager."""

import contextlib

def time_phases(phases, clock, sync_after=()):
    phases = list(phases)
    names = [name for name, _ in phases]
    if not names or len(names) != len(set(names)) or set(sync_after) - set(names):
        raise ValueError("names")
    host = {}

    @contextlib.contextmanager
    def timed(name):
        begin = clock.now()
        yield
        if name in sync_after:
            clock.synchronize()
        host[name] = torch.tensor(clock.now() - begin, dtype=torch.float64)

    for name, run in phases:
        with timed(name):
            run()
    return {"host": host, "blamed": max(names, key=lambda name: host[name])}
