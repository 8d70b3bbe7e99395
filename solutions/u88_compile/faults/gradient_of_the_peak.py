"""Lets the gradient flow through the peak, which .item() had cut.

check = "8.8.g/scaled_has_the_same_gradient"
stage = "torch"
says = "The outputs are the same, the gradient is not: .item() had made the peak a number, and a tensor has a gradient."
"""


def scaled(x):
    return x / x.abs().max().clamp(min=1.0)
