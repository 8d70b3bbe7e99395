"""Chooses x where it is above 0, so that NaN becomes 0.

check = "8.1.b/relu_lets_nan_through"
stage = "numpy"
says = "A NaN in the input is 0 in the output: x > 0 is False for it. A bad value must stay visible; np.maximum keeps it."
"""

_honest_relu_vjp = relu_vjp


def relu_vjp(x, needs):
    y, saved, pull = _honest_relu_vjp(np.where(x > 0, x, x.dtype.type(0)), needs)
    return y, saved, pull
