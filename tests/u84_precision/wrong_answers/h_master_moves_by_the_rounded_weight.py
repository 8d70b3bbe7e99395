"""Takes the step from the rounded weights instead of the master copy."""

_true = sgd_master


def sgd_master(weights, gradients, lr, exponent=8, mantissa=7):
    result = _true(weights, gradients, lr, exponent, mantissa)
    master = np.array(weights, dtype=np.float32)
    for gradient in gradients:
        low = decode(encode(master, exponent, mantissa), exponent, mantissa)
        master = (low - lr * np.asarray(gradient)).astype(np.float32)
    return {**result, "master": master}
