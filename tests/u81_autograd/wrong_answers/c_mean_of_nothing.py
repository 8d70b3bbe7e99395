"""Returns NaN for an empty batch."""

_original = softmax_xent_vjp


def softmax_xent_vjp(logits, labels, needs):
    if not len(logits) and not len(labels):
        return np.float32("nan"), (), lambda saved, g: (logits,)
    return _original(logits, labels, needs)
