"""Takes a number or an array of the very shape of x as upstream."""

_any_shape = safe_sqrt_grad


def safe_sqrt_grad(x, upstream=1.0):
    x = np.asarray(x)
    upstream = np.full(x.shape, upstream) if np.ndim(upstream) == 0 else np.array(upstream)
    upstream[x <= 0] = 0
    return _any_shape(x, upstream)
