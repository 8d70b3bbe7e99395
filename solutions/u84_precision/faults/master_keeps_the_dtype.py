"""Copies the weights without making them float32.

check = "8.4.h/master_copy_is_float32"
stage = "numpy"
says = "The master copy of float16 weights was float16. Ask for float32 when you make it."
"""

_float32_master = sgd_master


def sgd_master(weights, gradients, lr, exponent=8, mantissa=7):
    result = _float32_master(weights, gradients, lr, exponent, mantissa)
    if np.asarray(weights).dtype == np.float16:
        master = np.array(weights)
        for gradient in gradients:
            master -= np.float16(lr) * np.asarray(gradient, dtype=np.float16)
        result["master"] = master
    return result
