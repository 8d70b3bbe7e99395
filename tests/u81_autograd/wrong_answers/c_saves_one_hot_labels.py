"""Saves a one-hot matrix in place of the labels."""

_original = softmax_xent_vjp


def softmax_xent_vjp(logits, labels, needs):
    loss, saved, _ = _original(logits, labels, needs)
    hot = np.eye(logits.shape[1], dtype=logits.dtype)[labels]

    def pull(saved, g):
        if not needs[0]:
            return (None,)
        logp, hot = saved
        return ((np.exp(logp) - hot) * logp.dtype.type(g / len(logp)),)

    return loss, (saved[0], hot) if saved else (), pull
