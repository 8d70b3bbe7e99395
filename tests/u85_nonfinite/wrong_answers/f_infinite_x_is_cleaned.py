"""Takes an infinite x as one whose root is not to be taken."""


def safe_sqrt_grad(x, upstream=1.0):
    x = np.asarray(x)
    upstream = np.broadcast_to(np.asarray(upstream, dtype=x.dtype), x.shape)
    taken = ~(x <= 0) & ~np.isinf(x)
    zero = x.dtype.type(0)
    root = np.sqrt(np.where(taken, x, x.dtype.type(1)))
    slope = np.where(taken, upstream, zero) / (2 * root)
    return np.where(taken, root, zero), np.where(taken, slope, zero)
