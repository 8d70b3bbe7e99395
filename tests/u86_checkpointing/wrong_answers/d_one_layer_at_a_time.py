"""Runs a segment from its start for each of its layers: few caches, many calls."""


def chain_backward(layers, boundaries, grad, rng):
    grads = [None] * len(layers)
    for start, end, x, state in reversed(boundaries):
        for index in reversed(range(start, end)):

            def run(index=index, x=x, start=start):
                for layer in layers[start : index + 1]:
                    x, cache = layer.forward(x, rng)
                return cache

            grad, grads[index] = layers[index].backward(replay(rng, state, run), grad)
    return grad, grads
