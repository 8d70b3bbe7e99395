"""Counts an update of 0 as lost."""

_true = sgd_master


def sgd_master(weights, gradients, lr, exponent=8, mantissa=7):
    result = _true(weights, gradients, lr, exponent, mantissa)
    zeros = sum(int(np.sum(np.asarray(g) == 0)) for g in gradients)
    return {**result, "lost": result["lost"] + zeros}
