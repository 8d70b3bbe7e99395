"""Adds up each cost and takes the largest sum.

check = "8.2.f/a_hidden_cost_saves_nothing"
stage = "numpy"
says = "Costs were added up. One that is hidden behind another saves nothing when it is gone: take it away and simulate again."
also = [
  "8.2.f/four_kinds_of_bottleneck",
  "8.2.f/what_any_program_is_bound_by",
]
"""

_fair_bottleneck = bottleneck


def bottleneck(ops, sync=1):
    result = _fair_bottleneck(ops, sync)
    sums = {
        "launch": sum(op.get("launch", 0) for op in ops),
        "compute": sum(op.get("device", 0) for op in ops if op.get("kind") == "compute"),
        "copy": sum(op.get("device", 0) for op in ops if op.get("kind") == "copy"),
        "sync": sync * sum(bool(len(op.get("waits", []))) for op in ops),
    }
    return {**result, "bound": max(sums, key=sums.get), "savings": sums}
