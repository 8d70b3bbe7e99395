"""Compares last dimensions alone, so that arrays of other ranks pass."""

_original = linear_vjp


def linear_vjp(x, W, b, needs):
    if x.shape[-1] != W.shape[-1] or b.shape[-1] != W.shape[-2] or len(b.ravel()) != b.shape[-1]:
        raise ValueError("last dimensions")
    wide = x.reshape(-1, x.shape[-1])
    y, saved, pull = _original(wide, W.reshape(W.shape[-2:]), b.ravel(), needs)
    return y.reshape(*x.shape[:-1], b.size), saved, pull
