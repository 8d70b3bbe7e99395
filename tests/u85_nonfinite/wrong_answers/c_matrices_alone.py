"""Transposes for axis 0, which is right for matrices alone."""

_last_axis = logsumexp


def logsumexp(x, axis=-1):
    x = np.asarray(x)
    return _last_axis(x if axis % x.ndim == x.ndim - 1 else x.T, -1)
