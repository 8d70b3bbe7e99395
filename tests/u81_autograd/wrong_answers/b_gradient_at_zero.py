"""Lets the gradient through where the input is 0."""

_original = relu_vjp


def relu_vjp(x, needs):
    y, saved, _ = _original(x, needs)

    def pull(saved, g):
        return (np.where(saved[0] >= 0, g, g.dtype.type(0)) if saved else None,)

    return y, saved, pull
