"""Refuses a negative product instead of a negative size: two negative sizes pass."""

_nonneg = training_flops


def training_flops(matmuls, attention_forward=0, recompute="none", first_input_needs_grad=True):
    if any(m * k * n < 0 for m, k, n in matmuls):
        raise ValueError("negative")
    return _nonneg(
        [[abs(x) for x in p] for p in matmuls], attention_forward, recompute, first_input_needs_grad
    )
