"""Takes one call a sample, whatever the clock is like.

check = "8.2.g/a_clock_with_coarse_steps"
stage = "torch"
says = "A sample was shorter than a hundred steps of the clock. With one call of 2 ms a clock of 15 ms says 0 or 15."
also = [
  "8.2.g/no_sync_between_the_calls_of_a_sample",
  "8.2.g/what_cannot_be_timed",
]
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
    while calls * shortest < 0:
        calls *= 2
        if calls > most:
            raise ValueError("too short")
    samples = [sample(calls) / calls for _ in range(repeats)]
    q1, median, q3 = (_quantile(samples, q) for q in (0.25, 0.5, 0.75))
    return {"samples": samples, "calls": calls, "n": repeats, "median": median, "iqr": q3 - q1}
