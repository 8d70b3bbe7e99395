"""Times with NumPy, and gives its scalars."""

import numpy as np


def steady_state(fn, warmup=3, repeats=20, clock=time.perf_counter):
    if warmup <= 0 or repeats <= 0:
        raise ValueError("too few")
    spans = []
    while len(spans) < warmup + repeats:
        begin = clock()
        fn()
        spans.append(clock() - begin)
    first, steady = np.array(spans[:warmup]), np.array(spans[warmup:])
    return {
        "first": first[0], "p50": np.median(steady), "p90": np.quantile(steady, 0.9),
        "cost": (first - np.median(steady)).sum(), "repeats": steady.size,
    }
