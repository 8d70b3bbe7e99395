"""Works on the gradient that was handed in."""

_backward = chain_backward


def chain_backward(layers, boundaries, grad, rng):
    result = _backward(layers, boundaries, grad, rng)
    grad *= 1.0000001
    return result
