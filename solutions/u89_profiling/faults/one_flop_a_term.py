"""Counts a multiplication with its addition as one FLOP.

check = "8.9.c/forward_and_backward"
stage = "numpy"
says = "This is half: multiply-adds were counted. A product of m k n terms is m k n multiplications and as many additions."
# a factor on every product shows in every count
# the checks of many cases have this one among them
also = ["8.9.c/recomputation_is_not_model_work", "8.9.c/published_training_runs", "8.9.c/live_mlp", "8.9.c/every_combination_exactly"]
"""

_two_flops = training_flops


def training_flops(matmuls, attention_forward=0, recompute="none", first_input_needs_grad=True):
    halves = [(m, k, n / 2 if n % 2 else n // 2) for m, k, n in matmuls]
    return _two_flops(halves, attention_forward, recompute, first_input_needs_grad)
