"""Updates weights that need no gradient, too.

check = "8.1.k/frozen_and_unused_weights"
stage = "torch"
says = "A weight that needs no gradient was moved, and needs one now. It is a constant of the loss."
"""

_choosy_penalty_step = penalty_step


def penalty_step(weights, loss_fn, strength, lr):
    for weight in weights.values():
        weight.requires_grad_()
    return _choosy_penalty_step(weights, loss_fn, strength, lr)
