"""Knows a bias that fits by the number of its elements, not by its shape."""

_original = linear_vjp


def linear_vjp(x, W, b, needs):
    y, saved, pull = _original(x, W, b.ravel(), needs)
    return x @ W.T + b if b.ndim > 1 else y, saved, pull
