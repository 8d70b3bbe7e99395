"""Takes one batch more than it was allowed to."""


def loader_supply(loader, batches=None, step_time=None, clock=time.perf_counter):
    waits, begin = [], clock()
    for _ in loader:
        if batches is not None and len(waits) >= batches:
            break
        waits.append(clock() - begin)
        begin = clock()
    if len(waits) < 2:
        raise ValueError("too few")
    first, *others = waits
    rate = len(others) / sum(others) if sum(others) else math.inf
    return {
        "batches": len(waits),
        "first": first,
        "p50": _quantile(others, 0.5),
        "p90": _quantile(others, 0.9),
        "rate": rate,
        "covers": None if step_time is None else rate * step_time >= 1,
    }
