"""Saves the labels in fewer bytes."""

_original = softmax_xent_vjp


def softmax_xent_vjp(logits, labels, needs):
    loss, saved, pull = _original(logits, labels, needs)
    return loss, (saved[0], saved[1].astype(np.int16)) if saved else (), pull
