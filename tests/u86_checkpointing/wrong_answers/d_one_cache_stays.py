"""Holds the cache of a segment's first layer in a variable while the next segment is run again."""


def chain_backward(layers, boundaries, grad, rng):
    grads = [None] * len(layers)
    for start, end, x, state in reversed(boundaries):

        def run_again(x=x, span=layers[start:end]):
            caches = []
            for layer in span:
                x, cache = layer.forward(x, rng)
                caches.append(cache)
            return caches

        caches = None
        caches = replay(rng, state, run_again)
        for index in reversed(range(start, end)):
            cache = caches.pop()
            grad, grads[index] = layers[index].backward(cache, grad)
    return grad, grads
