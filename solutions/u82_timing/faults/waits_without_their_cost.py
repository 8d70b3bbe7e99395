"""Takes a wait away but leaves its cost.

check = "8.2.f/four_kinds_of_bottleneck"
stage = "numpy"
says = "A wait that was taken away still cost `sync`. Without the wait the host does not ask the device at all."
also = [
  "8.2.f/what_any_program_is_bound_by",
  "8.2.f/the_first_of_equal_savings",
]
"""

_fair_bottleneck = bottleneck


def bottleneck(ops, sync=1):
    result = _fair_bottleneck(ops, sync)
    paid = sync * sum(bool(len(op.get("waits", []))) for op in ops)
    savings = {**result["savings"]}
    savings["sync"] = max(savings["sync"] - paid, 0)
    return {**result, "bound": max(savings, key=savings.get), "savings": savings}
