"""Reports for each step whether there is a graph.

check = "8.1.j/depths_as_evidence"
stage = "torch"
says = "The depths say only that there is a graph. That it grows with each step is the evidence that rules out a graph of one step."
also = [
  "8.1.j/every_step_is_looked_at",
]
"""

_deep_update_guard = update_guard


def update_guard(step, weights, steps=3):
    answer = _deep_update_guard(step, weights, steps)
    return {**answer, "depths": [min(depth, 2) for depth in answer["depths"]]}
