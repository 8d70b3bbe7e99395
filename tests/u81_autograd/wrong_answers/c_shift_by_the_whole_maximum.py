"""Subtracts the largest logit of the batch instead of the row."""

_original = softmax_xent_vjp


def softmax_xent_vjp(logits, labels, needs):
    _, saved, pull = _original(logits, labels, needs)
    shifted = logits - logits.max()
    with np.errstate(all="ignore"):
        logp = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    rows = np.arange(len(labels))
    return -logp[rows, labels].mean(), saved, pull
