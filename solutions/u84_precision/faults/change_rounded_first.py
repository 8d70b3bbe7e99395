"""Rounds the change to the format before it is subtracted.

check = "8.4.h/updates_as_torch_makes_them"
stage = "numpy"
says = "The change was rounded before it was subtracted, and the result again. Subtract in float32, and round once."
"""

_rounded_once = sgd_master


def sgd_master(weights, gradients, lr, exponent=8, mantissa=7):
    result = _rounded_once(weights, gradients, lr, exponent, mantissa)
    to = lambda v: decode(encode(v, exponent, mantissa), exponent, mantissa).astype(np.float32)
    plain, lost = to(np.array(weights, dtype=np.float32)), 0
    for gradient in gradients:
        change = to(np.float32(lr) * np.asarray(gradient, dtype=np.float32))
        moved = to(plain - change)
        lost += int(np.count_nonzero((change != 0) & (moved == plain)))
        plain = moved
    return {**result, "plain": plain, "lost": lost}
