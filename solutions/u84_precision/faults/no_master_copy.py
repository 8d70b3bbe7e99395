"""Rounds the master copy at every step.

check = "8.4.h/a_thousand_small_updates"
stage = "numpy"
says = "The master copy was rounded at every step, so that it is none: updates under half the spacing are lost in it, too."
also = ["8.4.h/updates_as_torch_makes_them", "8.4.h/master_copy_is_float32"]
"""

_two_copies = sgd_master


def sgd_master(weights, gradients, lr, exponent=8, mantissa=7):
    result = _two_copies(weights, gradients, lr, exponent, mantissa)
    return {**result, "master": result["plain"], "weights": result["plain"]}
