"""Starts the master copy from rounded weights.

check = "8.4.h/master_copy_is_float32"
stage = "numpy"
says = "The master copy started from weights that were rounded already. It starts as they come."
also = ["8.4.h/updates_as_torch_makes_them"]
"""

_unrounded_start = sgd_master


def sgd_master(weights, gradients, lr, exponent=8, mantissa=7):
    codes = encode(np.array(weights, dtype=np.float32), exponent, mantissa)
    start = decode(codes, exponent, mantissa).astype(np.float32)
    return _unrounded_start(start, gradients, lr, exponent, mantissa)
