"""Bounds what goes into the root from below."""


def safe_sqrt_grad(x, upstream=1.0):
    x = np.asarray(x)
    root = np.sqrt(np.maximum(x, x.dtype.type(1e-6)))
    return root, (np.asarray(upstream, x.dtype) / (2 * root)).astype(x.dtype)
