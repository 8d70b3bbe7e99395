"""Lets the upstream gradient decide the dtype.

check = "8.5.f/upstream_that_broadcasts"
stage = "numpy"
says = "A float64 upstream gradient made the gradient float64. It belongs to x, and has its dtype."
"""


def safe_sqrt_grad(x, upstream=1.0):
    x = np.asarray(x)
    taken = ~(x <= 0)
    root = np.sqrt(np.where(taken, x, x.dtype.type(1)))
    slope = np.where(taken, upstream, x.dtype.type(0)) / (2 * root)
    if np.ndim(upstream) == 0:
        slope = slope.astype(x.dtype)
    return np.where(taken, root, x.dtype.type(0)), np.where(taken, slope, slope.dtype.type(0))
