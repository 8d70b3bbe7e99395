"""Runs all segments again and only then goes backward.

check = "8.6.d/each_segment_is_run_once_more"
stage = "numpy"
says = "All segments were run again before the first backward. Then all caches are in memory at once, as if nothing had been checkpointed."
# the same result is looked at there
also = [
  "8.6.d/caches_of_one_segment_at_a_time",
]
"""


def chain_backward(layers, boundaries, grad, rng):
    caches = []
    for start, end, x, state in boundaries:

        def run_again(x=x, span=layers[start:end]):
            for layer in span:
                x, cache = layer.forward(x, rng)
                caches.append(cache)

        replay(rng, state, run_again)
    grads = [None] * len(layers)
    for index in reversed(range(len(layers))):
        grad, grads[index] = layers[index].backward(caches.pop(), grad)
    return grad, grads
