"""Saves the input of the ReLU.

check = "8.1.b/relu_keeps_its_output"
stage = "numpy"
says = "The input is saved. It is a tensor that nobody else keeps, while the output lives on as the next layer's input."
"""

_output_relu_vjp = relu_vjp


def relu_vjp(x, needs):
    y, saved, pull = _output_relu_vjp(x, needs)
    return y, (x,) if saved else (), pull
