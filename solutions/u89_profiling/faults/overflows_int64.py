"""Multiplies the sizes with NumPy integers.

check = "8.9.c/published_training_runs"
stage = "numpy"
says = "The product went past 9.2e18, where int64 wraps around without a word. Use Python integers, which have no limit."
# the checks of many cases have this one among them
also = ["8.9.c/every_combination_exactly"]
"""

_exact_training_flops = training_flops


def training_flops(matmuls, attention_forward=0, recompute="none", first_input_needs_grad=True):
    step = _exact_training_flops(matmuls, attention_forward, recompute, first_input_needs_grad)
    return {key: (value + 2**63) % 2**64 - 2**63 for key, value in step.items()}
