"""Accepts negative labels, which index from the end.

check = "8.1.c/xent_refuses"
stage = "numpy"
says = "A label of -1 is taken for the last class: an index like any other for NumPy. Check the labels before indexing with them."
"""

_strict_softmax_xent_vjp = softmax_xent_vjp


def softmax_xent_vjp(logits, labels, needs):
    if len(labels) == len(logits) and len(labels):
        labels = np.where(labels < 0, labels + logits.shape[1], labels)
    return _strict_softmax_xent_vjp(logits, labels, needs)
