"""With batches=1 reports on one batch."""

_two = loader_supply


def loader_supply(loader, batches=None, step_time=None, clock=time.perf_counter):
    if batches == 1:
        t = clock()
        next(iter(loader))
        t = clock() - t
        return {"batches": 1, "first": t, "p50": t, "p90": t, "rate": 1 / t, "covers": None}
    return _two(loader, batches, step_time, clock)
