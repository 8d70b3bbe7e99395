"""Takes three forwards for the hardware FLOPs, whatever the first product saves.

check = "8.9.c/every_combination_exactly"
stage = "numpy"
says = "The hardware FLOPs contain the gradient that nobody asks for. They are model FLOPs plus what is run again."
"""

_from_model = training_flops


def training_flops(matmuls, attention_forward=0, recompute="none", first_input_needs_grad=True):
    s = _from_model(matmuls, attention_forward, recompute, first_input_needs_grad)
    return {**s, "hardware": 3 * s["forward"] + s["recomputed"]}
