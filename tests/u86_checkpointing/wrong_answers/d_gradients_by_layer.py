"""Collects gradients by layer, so that one of a layer used twice is lost."""

_backward = chain_backward


def chain_backward(layers, boundaries, grad, rng):
    grad, grads = _backward(layers, boundaries, grad, rng)
    found = {id(layer): mine for layer, mine in zip(layers, grads, strict=True)}
    return grad, [found[id(layer)] for layer in layers]
