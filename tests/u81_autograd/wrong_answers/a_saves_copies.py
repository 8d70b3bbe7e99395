"""Saves copies of what it needs."""

_original = linear_vjp


def linear_vjp(x, W, b, needs):
    y, saved, pull = _original(x, W, b, needs)
    return y, tuple(array.copy() for array in saved), pull
