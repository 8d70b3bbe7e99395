"""Counts the first batch in the rate.

check = "8.9.n/supply_without_the_first_batch"
stage = "torch"
says = "The first batch is in the rate. Starting the workers is paid once and would make every loader look slow."
# whether a loader covers follows from its rate
also = ["8.9.n/supply_against_demand", "8.9.n/times_of_zero"]
"""

_without_the_first = loader_supply


def loader_supply(loader, batches=None, step_time=None, clock=time.perf_counter):
    result = _without_the_first(loader, batches, step_time, clock)
    whole = result["first"] + (result["batches"] - 1) / result["rate"]
    result["rate"] = result["batches"] / whole
    if step_time is not None:
        result["covers"] = result["rate"] * step_time >= 1
    return result
