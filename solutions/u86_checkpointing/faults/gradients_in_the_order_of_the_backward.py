"""Returns the gradients with the last layer first.

check = "8.6.d/gradients_of_a_plain_chain"
stage = "numpy"
says = "The gradients of the layers come in the order in which the backward met them, the last layer first."
# the same result is looked at there
also = [
  "8.6.d/gradients_with_dropout",
  "8.6.d/boundaries_serve_twice",
]
"""

_ordered_backward = chain_backward


def chain_backward(layers, boundaries, grad, rng):
    grad, grads = _ordered_backward(layers, boundaries, grad, rng)
    return grad, grads[::-1]
