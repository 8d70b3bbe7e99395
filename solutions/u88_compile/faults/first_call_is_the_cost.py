"""Takes the first call alone for the cost of compiling.

check = "8.8.k/all_compilations_are_paid_for"
stage = "torch"
says = "The cost is that of the first call alone. A later call of the warm-up compiled again."
also = ["8.8.k/steady_times"]
"""


def steady_state(fn, warmup=3, repeats=20, clock=time.perf_counter, _right=steady_state):
    result = _right(fn, warmup, repeats, clock)
    return {**result, "cost": result["first"] - result["p50"]}
