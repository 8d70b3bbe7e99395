"""Takes the gradient for a matrix."""

_any_backward = chain_backward


def chain_backward(layers, boundaries, grad, rng):
    rows, columns = grad.shape
    return _any_backward(layers, boundaries, grad, rng)
