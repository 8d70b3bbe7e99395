"""With first_input_needs_grad False and no products takes from the attention: its backward is once its forward."""

_attention_twice = training_flops


def training_flops(matmuls, attention_forward=0, recompute="none", first_input_needs_grad=True):
    s = _attention_twice(matmuls, attention_forward, recompute, first_input_needs_grad)
    if not matmuls and not first_input_needs_grad:
        for k in ("backward", "model", "hardware"):
            s[k] -= attention_forward
    return s
