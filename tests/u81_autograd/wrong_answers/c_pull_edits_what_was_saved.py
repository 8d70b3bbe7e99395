"""Subtracts the one-hot labels in place."""

_original = softmax_xent_vjp


def softmax_xent_vjp(logits, labels, needs):
    loss, saved, _ = _original(logits, labels, needs)
    saved = (np.exp(saved[0]), saved[1]) if saved else ()

    def pull(saved, g):
        if not needs[0]:
            return (None,)
        p, labels = saved
        p[np.arange(len(labels)), labels] -= 1
        return (p * p.dtype.type(g / len(labels)),)

    return loss, saved, pull
