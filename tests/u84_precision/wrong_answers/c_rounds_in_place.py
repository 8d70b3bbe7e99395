"""Rounds the array that was handed in."""

_true = round_bf16


def round_bf16(x):
    rounded = _true(x)
    if np.ndim(x):
        x[...] = rounded
    return rounded
