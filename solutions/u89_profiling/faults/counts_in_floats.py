"""Adds the products in floats.

check = "8.9.c/every_combination_exactly"
stage = "numpy"
says = "The number is right in its first 16 digits and rounded after them. Floats hold integers up to 9e15; Python integers have no limit."
"""

_int_flops = training_flops


def training_flops(matmuls, attention_forward=0, recompute="none", first_input_needs_grad=True):
    _int_flops(matmuls, attention_forward, recompute, first_input_needs_grad)
    terms = np.array([[float(x) for x in p] for p in matmuls]).reshape(-1, 3).prod(axis=1) * 2
    return {
        k: int(v)
        for k, v in _int_flops(
            [(t / 2, 1, 1) for t in terms], attention_forward, recompute, first_input_needs_grad
        ).items()
    }
