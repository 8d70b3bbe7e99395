"""Saves a flat view of the output."""

_original = relu_vjp


def relu_vjp(x, needs):
    y, saved, _ = _original(x, needs)

    def pull(saved, g):
        if not needs[0]:
            return (None,)
        out = g.copy()
        out[saved[0].reshape(g.shape) <= 0] = 0
        return (out,)

    return y, tuple(array.ravel() for array in saved), pull
