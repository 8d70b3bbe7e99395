"""Draws new masks when a segment is run again.

check = "8.6.d/gradients_with_dropout"
stage = "numpy"
says = "The second run of a segment drew other dropout masks than the first: these are gradients of a function that was never computed."
source = "openai/guided-diffusion#167"
"""

_same_masks = chain_backward


def chain_backward(layers, boundaries, grad, rng):
    now = rng.bit_generator.state
    boundaries = [(start, end, x, now) for start, end, x, _ in boundaries]
    return _same_masks(layers, boundaries, grad, rng)
