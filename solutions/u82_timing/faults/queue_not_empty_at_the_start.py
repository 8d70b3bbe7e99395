"""Does not wait before the first reading.

check = "8.2.g/a_sample_is_the_function_and_nothing_else"
stage = "torch"
says = "The first sample contains older work. Synchronize before the first reading of the clock as well."
also = [
  "8.2.g/slow_first_calls_are_not_reported",
  "8.2.g/median_and_spread_of_the_samples",
  "8.2.g/a_clock_with_coarse_steps",
]
"""


def time_callable(fn, clock, warmup=3, repeats=20, most=1024):
    if warmup < 0 or repeats < 1:
        raise ValueError("nothing to time")

    def sample(calls):
        begin = clock.now()
        for _ in range(calls):
            fn()
        clock.synchronize()
        return clock.now() - begin

    for _ in range(warmup):
        fn()
    calls, shortest = 1, 100 * clock.resolution
    while shortest and sample(calls) < shortest:
        calls *= 2
        if calls > most:
            raise ValueError("too short")
    samples = [sample(calls) / calls for _ in range(repeats)]
    q1, median, q3 = (_quantile(samples, q) for q in (0.25, 0.5, 0.75))
    return {"samples": samples, "calls": calls, "n": repeats, "median": median, "iqr": q3 - q1}
