"""Compares the model and the loss, and nothing else.

check = "8.7.j/each_missing_part_is_found"
stage = "torch"
says = "Equal losses and parameters do not make an equal state: a scaler's count or an averaged weight shows in neither."
also = [
  "8.7.j/nothing_hides_a_difference",
  "8.7.j/the_tolerance_is_relative",
]
"""

_right = first_divergence


def first_divergence(run_a, run_b, tolerance=0.0):
    seen = [
        [{k: v for k, v in s.items() if k in ("model", "loss")} for s in r] for r in (run_a, run_b)
    ]
    return _right(*seen, tolerance)
