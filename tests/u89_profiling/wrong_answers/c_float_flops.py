"""Counts in floats: not the exact integers that are promised."""

_int_flops = training_flops


def training_flops(matmuls, attention_forward=0, recompute="none", first_input_needs_grad=True):
    return {
        k: float(v)
        for k, v in _int_flops(
            matmuls, attention_forward, recompute, first_input_needs_grad
        ).items()
    }
