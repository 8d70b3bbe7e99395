"""Saves the gradient for 1, and no labels."""

_original = softmax_xent_vjp


def softmax_xent_vjp(logits, labels, needs):
    loss, saved, pull = _original(logits, labels, needs)
    direction = pull(saved, 1.0)[0]

    def scaled(saved, g):
        return (saved[0] * saved[0].dtype.type(g) if saved else None,)

    return loss, () if direction is None else (direction,), scaled
