"""Stops at the largest number of calls, long enough or not.

check = "8.2.g/what_cannot_be_timed"
stage = "torch"
says = "A function that is too short for the clock was timed all the same. What is printed then is the clock's step."
"""


def time_callable(fn, clock, warmup=3, repeats=20, most=1024):
    if warmup < 0 or repeats < 1:
        raise ValueError("nothing to time")

    def sample(calls):
        clock.synchronize()
        begin = clock.now()
        for _ in range(calls):
            fn()
        clock.synchronize()
        return clock.now() - begin

    for _ in range(warmup):
        fn()
    calls, shortest = 1, 100 * clock.resolution
    while shortest and sample(calls) < shortest and calls < most:
        calls *= 2
    samples = [sample(calls) / calls for _ in range(repeats)]
    q1, median, q3 = (_quantile(samples, q) for q in (0.25, 0.5, 0.75))
    return {"samples": samples, "calls": calls, "n": repeats, "median": median, "iqr": q3 - q1}
