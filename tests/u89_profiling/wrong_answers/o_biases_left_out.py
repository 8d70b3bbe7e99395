"""Compares the gradients of the weights and leaves those of the biases out."""

_every_gradient = _first_step


def _first_step(make, make_base, seed):
    outputs, gradients = _every_gradient(make, make_base, seed)
    return outputs, {n: g for n, g in gradients.items() if g is None or g.ndim > 1}
