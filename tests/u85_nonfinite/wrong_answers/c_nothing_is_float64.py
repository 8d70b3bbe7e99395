"""Gives float64 for an array without entries, whatever its dtype."""

_with_entries = logsumexp


def logsumexp(x, axis=-1):
    x = np.asarray(x)
    if x.size == 0:
        return np.max(x.astype(np.float64), axis=axis, initial=-np.inf)
    return _with_entries(x, axis)
