"""Takes the boundaries off the list that was handed in.

check = "8.6.d/boundaries_serve_twice"
stage = "numpy"
says = "The list of boundaries was empty after the first backward. It belongs to the caller."
also = ["8.6.d/gradients_with_dropout"]
"""

_lasting_backward = chain_backward


def chain_backward(layers, boundaries, grad, rng):
    result = _lasting_backward(layers, list(boundaries), grad, rng)
    boundaries.clear()
    return result
