"""Takes the gradient of the last product away instead of the first.

check = "8.9.c/live_mlp"
stage = "numpy"
says = "The product that is saved is the one whose input is data, the first. Another one was taken away."
# any list whose first and last products differ shows it
# the checks of many cases have this one among them
also = ["8.9.c/forward_and_backward", "8.9.c/every_combination_exactly"]
"""

_first_discounted = training_flops


def training_flops(matmuls, attention_forward=0, recompute="none", first_input_needs_grad=True):
    turned = list(matmuls)[::-1]
    return _first_discounted(turned, attention_forward, recompute, first_input_needs_grad)
