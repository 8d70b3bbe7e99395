"""Tries a sample even for a clock without steps, and calls through a partial."""

import functools


def time_callable(fn, clock, warmup=3, repeats=20, most=1024):
    if warmup < 0 or repeats < 1:
        raise ValueError("warmup or repeats")
    call = functools.partial(fn)

    def sample(calls):
        clock.synchronize()
        clock.synchronize()
        begin = clock.now()
        for _ in [None] * calls:
            call()
        clock.synchronize()
        return clock.now() - begin

    for _ in range(warmup):
        call()
    clock.synchronize()
    calls = 1
    while sample(calls) < 100 * clock.resolution:
        if calls * 2 > most:
            raise ValueError("too short")
        calls *= 2
    samples = [sample(calls) / calls for _ in range(repeats)]
    quartiles = torch.quantile(torch.tensor(samples, dtype=torch.float64), torch.tensor([0.25, 0.5, 0.75], dtype=torch.float64))
    return {"samples": torch.tensor(samples, dtype=torch.float64), "calls": torch.tensor(calls), "n": repeats, "median": quartiles[1], "iqr": quartiles[2] - quartiles[0]}
