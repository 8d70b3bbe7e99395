"""Multiplies the gradient by the mask instead of choosing by it.

check = "8.1.b/relu_values_and_gradient"
stage = "numpy"
says = "The gradient is NaN where the output is 0 and the incoming gradient is infinite or NaN: 0 times infinity. Choose with np.where instead of multiplying."
"""

_choosing_relu_vjp = relu_vjp


def relu_vjp(x, needs):
    y, saved, _ = _choosing_relu_vjp(x, needs)

    def pull(saved, g):
        with np.errstate(invalid="ignore"):
            return (g * (saved[0] > 0) if saved else None,)

    return y, saved, pull
