"""Accepts a negative attention cost."""

_nonneg = training_flops


def training_flops(matmuls, attention_forward=0, recompute="none", first_input_needs_grad=True):
    if attention_forward < 0:
        attention_forward = 0
    return _nonneg(matmuls, attention_forward, recompute, first_input_needs_grad)
