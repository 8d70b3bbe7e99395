"""Takes the warm-up calls as the first samples.

check = "8.2.g/slow_first_calls_are_not_reported"
stage = "torch"
says = "The first calls are among the samples. They allocate, choose kernels and compile, which no later call does."
also = [
  "8.2.g/median_and_spread_of_the_samples",
  "8.2.g/a_clock_with_coarse_steps",
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

    for _ in range(0):
        fn()
    calls, shortest = 1, 100 * clock.resolution
    while shortest and sample(calls) < shortest:
        calls *= 2
        if calls > most:
            raise ValueError("too short")
    samples = [sample(calls) / calls for _ in range(repeats)]
    q1, median, q3 = (_quantile(samples, q) for q in (0.25, 0.5, 0.75))
    return {"samples": samples, "calls": calls, "n": repeats, "median": median, "iqr": q3 - q1}
