"""Trains in float64 and rounds to float32 at each step."""

_true = sgd_master


def sgd_master(weights, gradients, lr, exponent=8, mantissa=7):
    result = _true(weights, gradients, lr, exponent, mantissa)
    master = np.array(weights, dtype=np.float32)
    for gradient in gradients:
        master = (master.astype(float) - float(lr) * np.asarray(gradient, dtype=float)).astype(np.float32)
    return {**result, "master": master, "lost": np.int64(result["lost"])}
