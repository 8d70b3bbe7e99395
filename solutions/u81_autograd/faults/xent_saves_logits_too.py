"""Saves the logits beside the log-probabilities.

check = "8.1.c/xent_saves_one_array"
stage = "numpy"
says = "Two arrays as large as the logits are saved. The gradient is in the probabilities alone, p less the one-hot labels."
"""

_one_softmax_xent_vjp = softmax_xent_vjp


def softmax_xent_vjp(logits, labels, needs):
    loss, saved, pull = _one_softmax_xent_vjp(logits, labels, needs)
    return loss, (*saved, logits) if saved else (), lambda saved, g: pull(saved[:2], g)
