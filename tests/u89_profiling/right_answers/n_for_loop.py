"""A for loop with contiguous readings and islice; NumPy percentiles; a NumPy bool."""

import numpy as np


def loader_supply(loader, batches=None, step_time=None, clock=time.perf_counter):
    times = [clock()]
    for _ in itertools.islice(loader, batches):
        times.append(clock())
    w = np.diff(times)
    if len(w) < 2:
        raise ValueError("too few")
    r = w[1:]
    rate = len(r) / r.sum() if r.sum() > 0 else np.inf
    return {
        "covers": None if step_time is None else np.bool_(rate * step_time >= 1),
        "rate": rate,
        "p90": np.percentile(r, 90),
        "p50": np.median(r),
        "first": w[0],
        "batches": len(w),
    }
