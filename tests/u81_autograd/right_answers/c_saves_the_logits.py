"""Saves the logits and computes probabilities in the backward."""

_original = softmax_xent_vjp


def softmax_xent_vjp(logits, labels, needs):
    loss, saved, _ = _original(logits, labels, needs)

    def pull(saved, g):
        if not needs[0]:
            return (None,)
        logits, labels = saved
        shifted = np.exp(logits - logits.max(1, keepdims=True))
        p = shifted / shifted.sum(1, keepdims=True)
        p[range(len(p)), labels] -= 1
        return (p * p.dtype.type(g / len(p)),)

    return loss, (logits, labels) if saved else (), pull
