"""zip with a range, the loader's iterator last in time."""


def loader_supply(loader, batches=None, step_time=None, clock=time.perf_counter):
    waits = []
    begin = clock()
    iterator = iter(loader)
    for _ in itertools.repeat(None) if batches is None else range(batches):
        try:
            next(iterator)
        except StopIteration:
            break
        now = clock()
        waits.append(now - begin)
        begin = now
    if len(waits) < 2:
        raise ValueError
    t = torch.tensor(waits[1:], dtype=torch.float64)
    total = float(t.sum())
    rate = len(t) / total if total else float("inf")
    return {
        "batches": len(waits),
        "first": waits[0],
        "p50": t.quantile(0.5).item(),
        "p90": t.quantile(0.9),
        "rate": rate,
        "covers": step_time if step_time is None else bool(rate * step_time >= 1),
    }
