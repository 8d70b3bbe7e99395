"""Forgets that the loss is a mean over the batch.

check = "8.1.c/xent_loss_and_gradient"
stage = "numpy"
says = "The gradient is B times too large. The loss is a mean, so that each example has a B-th of it."
also = [
  "8.1.c/xent_of_large_logits",
]
"""

_mean_softmax_xent_vjp = softmax_xent_vjp


def softmax_xent_vjp(logits, labels, needs):
    loss, saved, pull = _mean_softmax_xent_vjp(logits, labels, needs)

    def summed(saved, g):
        return tuple(None if part is None else part * len(part) for part in pull(saved, g))

    return loss, saved, summed
