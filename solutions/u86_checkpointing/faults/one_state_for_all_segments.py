"""Rewinds the generator to the beginning of the forward for every segment.

check = "8.6.d/gradients_with_dropout"
stage = "numpy"
says = "Every segment was run again from the state that the generator had before the first one. Each segment needs the state from before itself."
"""

_own_states = chain_backward


def chain_backward(layers, boundaries, grad, rng):
    boundaries = [(start, end, x, boundaries[0][3]) for start, end, x, _ in boundaries]
    return _own_states(layers, boundaries, grad, rng)
