"""Divides by the sum of the waits, which can be 0.

check = "8.9.n/times_of_zero"
stage = "torch"
says = "The waits were too short for the clock, and their sum was divided by. A loader like that is as fast as any step asks."
"""

_infinite_supply = loader_supply


def loader_supply(loader, batches=None, step_time=None, clock=time.perf_counter):
    result = _infinite_supply(loader, batches, step_time, clock)
    if result["rate"] == math.inf:
        raise ZeroDivisionError("float division by zero")
    return result
