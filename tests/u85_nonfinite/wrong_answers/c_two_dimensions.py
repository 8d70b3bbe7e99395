"""Gives the first dimension to an array without entries."""

_with_entries = logsumexp


def logsumexp(x, axis=-1):
    x = np.asarray(x)
    if x.size == 0:
        return np.full(x.shape[0], -np.inf, _float_dtype(x))
    return _with_entries(x, axis)
