"""Does not wait before the first reading of a sample that is only tried.

check = "8.2.g/a_clock_with_coarse_steps"
stage = "torch"
says = "One call was taken for long enough because older work, or the warm-up, was still in the queue while it was tried. Wait before the first reading of a tried sample, too."
"""


def time_callable(fn, clock, warmup=3, repeats=20, most=1024):
    if warmup < 0 or repeats < 1:
        raise ValueError("nothing to time")

    def tried(calls):
        begin = clock.now()
        for _ in range(calls):
            fn()
        clock.synchronize()
        return clock.now() - begin

    def sample(calls):
        clock.synchronize()
        return tried(calls)

    for _ in range(warmup):
        fn()
    calls, shortest = 1, 100 * clock.resolution
    while shortest and tried(calls) < shortest:
        calls *= 2
        if calls > most:
            raise ValueError("too short")
    samples = [sample(calls) / calls for _ in range(repeats)]
    q1, median, q3 = (_quantile(samples, q) for q in (0.25, 0.5, 0.75))
    return {"samples": samples, "calls": calls, "n": repeats, "median": median, "iqr": q3 - q1}
