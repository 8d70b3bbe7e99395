"""Rewinds the generator for each segment and never puts it back.

check = "8.6.d/the_generator_is_not_moved"
stage = "numpy"
says = "After the backward the generator stands where the first segment once ended, so that what follows draws old numbers again."
"""

_unmoved_backward = chain_backward


def chain_backward(layers, boundaries, grad, rng):
    result = _unmoved_backward(layers, boundaries, grad, rng)
    rng.bit_generator.state = boundaries[0][3]
    return result
