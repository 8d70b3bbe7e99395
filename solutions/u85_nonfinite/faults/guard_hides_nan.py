"""Takes x > 0 as the condition, which NaN never is.

check = "8.5.f/guarded_root_hides_no_nan"
stage = "numpy"
says = "NaN > 0 is False, so that a NaN becomes 0 and is gone. A guard must not hide what it guards against."
"""


def safe_sqrt_grad(x, upstream=1.0):
    x = np.asarray(x)
    upstream = np.broadcast_to(np.asarray(upstream, dtype=x.dtype), x.shape)
    taken = x > 0
    root = np.sqrt(np.where(taken, x, x.dtype.type(1)))
    slope = np.where(taken, upstream, x.dtype.type(0)) / (2 * root)
    value = np.where(taken, root, x.dtype.type(0))
    return value, np.where(taken, slope, x.dtype.type(0))
