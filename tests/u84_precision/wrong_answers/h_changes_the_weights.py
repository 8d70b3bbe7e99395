"""Trains the weights that were handed in."""

_true = sgd_master


def sgd_master(weights, gradients, lr, exponent=8, mantissa=7):
    result = _true(weights, gradients, lr, exponent, mantissa)
    if isinstance(weights, np.ndarray):
        weights[...] = result["master"]
    return result
