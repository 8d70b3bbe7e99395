"""Waits after those ops of the region that have a stream.

check = "8.2.c/timers_in_any_program"
stage = "numpy"
says = "The timer that waits after every op left out the ops of the host. They are ops as well."
"""

_fair_measured = measured


def measured(before, region, policy, sync=1):
    if policy != "every_op":
        return _fair_measured(before, region, policy, sync)
    _fair_measured(before, region, policy, sync)
    start = [*before, {"name": (0,), "stream": None, "waits": "all"}]
    timed = []
    for number, op in enumerate(region, 1):
        timed.append(op)
        if op["stream"] is not None:
            timed.append({"name": (number,), "stream": None, "waits": "all"})
    return _run([*start, *timed], sync)["host"] - _run(start, sync)["host"]
