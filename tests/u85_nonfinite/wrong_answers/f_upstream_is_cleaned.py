"""Makes a bad upstream gradient 0 everywhere, also where it passes."""

_passes = safe_sqrt_grad


def safe_sqrt_grad(x, upstream=1.0):
    upstream = np.asarray(upstream)
    return _passes(x, np.where(np.isfinite(upstream), upstream, 0))
