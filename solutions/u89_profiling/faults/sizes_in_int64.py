"""Keeps the sizes in NumPy integers.

check = "8.9.d/published_transformers"
stage = "numpy"
says = "The count went past 9.2e18, where int64 wraps around without a word. Python integers have no limit."
# the checks of many cases have this one among them
also = ["8.9.d/every_transformer_exactly"]
"""

_unbounded = transformer_step_flops


def transformer_step_flops(L, d, T, B, V, attention="full", recompute="none"):
    step = _unbounded(L, d, T, B, V, attention, recompute)
    return {key: (value + 2**63) % 2**64 - 2**63 for key, value in step.items()}
