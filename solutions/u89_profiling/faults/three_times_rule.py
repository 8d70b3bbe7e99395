"""Takes the step as three times the forward, whatever the first input is.

check = "8.9.c/forward_and_backward"
stage = "numpy"
says = "The 3x rule was used although the first input is data. Nobody asks for the gradient of the pixels, so that product is never run."
# the live mlp reads data
# the checks of many cases have this one among them
also = ["8.9.c/live_mlp", "8.9.c/every_combination_exactly"]
"""

_discounting = training_flops


def training_flops(matmuls, attention_forward=0, recompute="none", first_input_needs_grad=True):
    return _discounting(matmuls, attention_forward, recompute)
