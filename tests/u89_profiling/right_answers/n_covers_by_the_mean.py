"""Decides by the mean wait against the step."""

import statistics

_reference_n = loader_supply


def loader_supply(loader, batches=None, step_time=None, clock=time.perf_counter):
    waits, it = [], None
    for _ in range(batches) if batches is not None else itertools.count():
        t = clock()
        if it is None:
            it = iter(loader)
        if next(it, waits) is waits:
            break
        waits.append(clock() - t)
    if len(waits) < 2:
        raise ValueError
    rest = waits[1:]
    mean = statistics.fmean(rest)
    p90 = statistics.quantiles(rest, n=10, method="inclusive")[8] if len(rest) > 1 else rest[0]
    return {
        "batches": len(waits),
        "first": waits[0],
        "p50": statistics.median(rest),
        "p90": p90,
        "rate": 1 / mean if mean else math.inf,
        "covers": None if step_time is None else mean <= step_time,
    }
