"""Finds the number of calls first, and warms up afterwards."""


def time_callable(fn, clock, warmup=3, repeats=20, most=1024):
    if warmup < 0 or repeats < 1:
        raise ValueError("warmup or repeats")

    def sample(calls):
        clock.synchronize()
        begin = clock.now()
        for _ in range(calls):
            fn()
        clock.synchronize()
        return clock.now() - begin

    calls, shortest = 1, 100 * clock.resolution
    while shortest and sample(calls) < shortest:
        calls *= 2
        if calls > most:
            raise ValueError("too short")
    for _ in range(warmup):
        fn()
    samples = [sample(calls) / calls for _ in range(repeats)]
    q1, median, q3 = (_quantile(samples, q) for q in (0.25, 0.5, 0.75))
    return {"samples": samples, "calls": calls, "n": repeats, "median": median, "iqr": q3 - q1}
