"""Looks at the largest entry first, which an array without entries does not have."""

_of_entries = log1mexp


def log1mexp(x):
    x = np.asarray(x)
    if x.max() < -np.log(2):
        with np.errstate(all="ignore"):
            return np.log1p(-np.exp(x.astype(np.float64))).astype(x.dtype)[()]
    return _of_entries(x)
