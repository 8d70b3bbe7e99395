"""Puts the warm-up into the steady times.

check = "8.8.k/steady_times"
stage = "torch"
says = "The first calls are in the steady times. They compile, which is paid once."
also = ["8.8.k/all_compilations_are_paid_for"]
"""


def steady_state(fn, warmup=3, repeats=20, clock=time.perf_counter, _right=steady_state):
    times = []

    def timed():
        begin = clock()
        fn()
        times.append(clock() - begin)

    reading = [0.0]
    result = _right(timed, warmup, repeats, lambda: reading[0])
    every = torch.tensor(times, dtype=torch.float64)
    middle = float(torch.quantile(every, 0.5))
    return {
        **result,
        "first": times[0],
        "p50": middle,
        "p90": float(torch.quantile(every, 0.9)),
        "cost": sum(times[:warmup]) - warmup * middle,
    }
