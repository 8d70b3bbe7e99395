"""Still holds the caches of one segment while the next one is run again.

check = "8.6.d/caches_of_one_segment_at_a_time"
stage = "numpy"
says = "While a segment was run again, a variable still held the caches of the one before: two segments in memory at once. Take the caches off the list as they are used."
"""


def chain_backward(layers, boundaries, grad, rng):
    grads = [None] * len(layers)
    caches = []
    for start, end, x, state in reversed(boundaries):

        def run_again(x=x, span=layers[start:end]):
            found = []
            for layer in span:
                x, cache = layer.forward(x, rng)
                found.append(cache)
            return found

        caches = replay(rng, state, run_again)
        for index in reversed(range(start, end)):
            grad, grads[index] = layers[index].backward(caches[index - start], grad)
    return grad, grads
