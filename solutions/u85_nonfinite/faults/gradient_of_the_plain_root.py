"""Takes the slope of the root everywhere, also where the function is 0.

check = "8.5.f/guarded_root_like_autograd"
stage = "numpy"
says = "Where x <= 0 the function is constant and its gradient 0."
also = ["8.5.f/upstream_where_nothing_passes", "8.5.f/guarded_root_hides_no_nan", "8.5.f/upstream_that_broadcasts"]
"""


def safe_sqrt_grad(x, upstream=1.0):
    x = np.asarray(x)
    upstream = np.broadcast_to(np.asarray(upstream, dtype=x.dtype), x.shape)
    taken = ~(x <= 0)  # NaN is taken
    root = np.sqrt(np.where(taken, x, x.dtype.type(1)))
    value = np.where(taken, root, x.dtype.type(0))
    return value, upstream / (2 * root)
