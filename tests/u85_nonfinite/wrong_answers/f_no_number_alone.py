"""Loops over rows, which an array without dimensions does not have."""

_of_rows = safe_sqrt_grad


def safe_sqrt_grad(x, upstream=1.0):
    x = np.asarray(x)
    len(x)
    return _of_rows(x, upstream)
