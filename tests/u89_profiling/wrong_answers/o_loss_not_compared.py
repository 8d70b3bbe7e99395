"""Compares the outputs of the model but not the loss of forward."""

_with_loss = _first_step


def _first_step(make, make_base, seed):
    outputs, gradients = _with_loss(make, make_base, seed)
    return outputs[:1], gradients
