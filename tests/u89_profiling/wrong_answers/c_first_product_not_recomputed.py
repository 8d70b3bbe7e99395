"""Full recomputation leaves the first product out when its input is data."""

_whole_again = training_flops


def training_flops(matmuls, attention_forward=0, recompute="none", first_input_needs_grad=True):
    s = _whole_again(matmuls, attention_forward, recompute, first_input_needs_grad)
    if recompute == "full" and not first_input_needs_grad and matmuls:
        m, k, n = matmuls[0]
        s["recomputed"] -= 2 * m * k * n
        s["hardware"] -= 2 * m * k * n
    return s
