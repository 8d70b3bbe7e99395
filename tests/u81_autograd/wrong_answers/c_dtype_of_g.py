"""Lets the dtype of g decide on that of the gradient."""

_original = softmax_xent_vjp


def softmax_xent_vjp(logits, labels, needs):
    loss, saved, pull = _original(logits, labels, needs)

    def scaled(saved, g):
        (direction,) = pull(saved, 1.0)
        return (None if direction is None else direction * g,)

    return loss, saved, scaled
