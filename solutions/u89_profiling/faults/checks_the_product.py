"""Looks for a negative product, not for a negative size.

check = "8.9.c/sizes_that_cannot_be"
stage = "numpy"
says = "Two negative sizes, or one beside a zero, got through because their product is not negative. Look at each size."
"""

_nonneg = training_flops


def training_flops(matmuls, attention_forward=0, recompute="none", first_input_needs_grad=True):
    if any(m * k * n < 0 for m, k, n in matmuls):
        raise ValueError("negative")
    return _nonneg(
        [[abs(x) for x in p] for p in matmuls], attention_forward, recompute, first_input_needs_grad
    )
