"""Leaves the host's own ops their launch time.

check = "8.2.f/what_any_program_is_bound_by"
stage = "numpy"
says = "The host's own ops kept their time. Every launch becomes 0, also of ops without a stream."
also = [
  "8.2.f/the_first_of_equal_savings",
]
"""

_fair_bottleneck = bottleneck


def bottleneck(ops, sync=1):
    result = _fair_bottleneck(ops, sync)
    free = [{**op, "launch": 0} if op["stream"] is not None else op for op in ops]
    savings = {**result["savings"], "launch": result["total"] - _run(free, sync)["total"]}
    return {**result, "bound": max(savings, key=savings.get), "savings": savings}
