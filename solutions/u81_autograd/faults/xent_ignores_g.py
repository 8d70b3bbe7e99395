"""Takes the gradient of the loss for 1.

check = "8.1.c/xent_loss_and_gradient"
stage = "numpy"
says = "The gradient does not depend on g. A loss that is scaled or added to others comes back with another number than 1."
"""

_scaled_softmax_xent_vjp = softmax_xent_vjp


def softmax_xent_vjp(logits, labels, needs):
    loss, saved, pull = _scaled_softmax_xent_vjp(logits, labels, needs)
    return loss, saved, lambda saved, g: pull(saved, 1.0)
