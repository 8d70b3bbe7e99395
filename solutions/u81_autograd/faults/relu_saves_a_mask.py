"""Saves a mask of the positive entries.

check = "8.1.b/relu_keeps_its_output"
stage = "numpy"
says = "A mask is saved. It takes a quarter of the bytes of the output, but on top of it: the output is kept by the next layer anyway."
"""

_free_relu_vjp = relu_vjp


def relu_vjp(x, needs):
    y, saved, _ = _free_relu_vjp(x, needs)

    def pull(saved, g):
        return (np.where(saved[0], g, g.dtype.type(0)) if saved else None,)

    return y, (y > 0,) if saved else (), pull
