"""Takes exponentials of the logits as they are.

check = "8.1.c/xent_of_large_logits"
stage = "numpy"
says = "exp of a large logit is infinite, and the loss infinite or NaN. Subtract the largest logit of each row first; the probabilities stay the same."
"""

_shifted_softmax_xent_vjp = softmax_xent_vjp


def softmax_xent_vjp(logits, labels, needs):
    _, saved, pull = _shifted_softmax_xent_vjp(logits, labels, needs)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        p = np.exp(logits)
        p /= p.sum(axis=1, keepdims=True)
        loss = -np.log(p[np.arange(len(labels)), labels]).mean()
    return loss, saved, pull
