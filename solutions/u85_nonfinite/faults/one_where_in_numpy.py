"""Uses one where, behind the root.

check = "8.5.f/guarded_root_raises_no_flag"
stage = "numpy"
says = "np.where computes both branches: the root of a negative number and the division by zero happen before it chooses. Guard what goes in."
"""


def safe_sqrt_grad(x, upstream=1.0):
    x = np.asarray(x)
    upstream = np.broadcast_to(np.asarray(upstream, dtype=x.dtype), x.shape)
    taken = ~(x <= 0)
    root = np.sqrt(x)
    slope = upstream / (2 * root)
    zero = x.dtype.type(0)
    return np.where(taken, root, zero), np.where(taken, slope, zero)
