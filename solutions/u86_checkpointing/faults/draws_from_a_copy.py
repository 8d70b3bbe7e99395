"""Runs the forward on a copy of the generator.

check = "8.6.c/the_forward_is_the_plain_one"
stage = "numpy"
says = "The generator that was handed in did not move in the forward: the next forward would draw the same masks again."
"""

import numpy as np

_forward_on_it = chain_forward


def chain_forward(layers, x, segments, rng):
    twin = np.random.Generator(type(rng.bit_generator)())
    twin.bit_generator.state = rng.bit_generator.state
    return _forward_on_it(layers, x, segments, twin)
