"""Gives the mean of the steady times for their median."""

def steady_state(fn, warmup=3, repeats=20, clock=time.perf_counter, _right=steady_state):
    times = []

    def timed():
        begin = now[0]
        fn()
        now[0] = clock()
        times.append(now[0] - begin)

    now = [clock()]
    found = _right(timed, warmup, repeats, lambda: now[0])
    return {**found, "p50": sum(times[warmup:]) / repeats}
