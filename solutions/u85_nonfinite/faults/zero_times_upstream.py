"""Multiplies the upstream gradient by a slope of 0.

check = "8.5.f/upstream_where_nothing_passes"
stage = "numpy"
says = "0 times an infinite upstream gradient is NaN. Choose 0 there instead of multiplying by it."
"""


def safe_sqrt_grad(x, upstream=1.0):
    x = np.asarray(x)
    upstream = np.broadcast_to(np.asarray(upstream, dtype=x.dtype), x.shape)
    taken = ~(x <= 0)  # NaN is taken
    root = np.sqrt(np.where(taken, x, x.dtype.type(1)))
    slope = upstream * (np.where(taken, x.dtype.type(1), x.dtype.type(0)) / (2 * root))
    value = np.where(taken, root, x.dtype.type(0))
    return value, slope
