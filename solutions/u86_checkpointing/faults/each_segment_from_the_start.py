"""Runs the whole chain from its input for each segment.

check = "8.6.d/each_segment_is_run_once_more"
stage = "numpy"
says = "For each segment the chain was run from its very beginning. The boundary of the segment is all that is needed."
also = ["8.6.d/caches_of_one_segment_at_a_time"]
"""


def chain_backward(layers, boundaries, grad, rng):
    grads = [None] * len(layers)
    _, _, first, state = boundaries[0]
    for start, end, _, _ in reversed(boundaries):
        caches = []

        def from_the_start(start=start, end=end, caches=caches):
            x = first
            for index, layer in enumerate(layers[:end]):
                x, cache = layer.forward(x, rng)
                if index >= start:
                    caches.append(cache)
                del cache

        replay(rng, state, from_the_start)
        for index in reversed(range(start, end)):
            grad, grads[index] = layers[index].backward(caches.pop(), grad)
    return grad, grads
