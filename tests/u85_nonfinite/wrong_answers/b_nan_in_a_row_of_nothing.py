"""Makes a row of nothing NaN if it holds a NaN, although nobody keeps it."""

_clean_rows = softmax


def softmax(x, axis=-1, keep=None):
    share = _clean_rows(x, axis, keep)
    if keep is None:
        return share
    x = np.asarray(x)
    kept = np.broadcast_to(keep, x.shape)
    nothing = ~kept.any(axis=axis, keepdims=True)
    bad = np.isnan(x.astype(np.float64)).any(axis=axis, keepdims=True)
    return np.where(nothing & bad, np.asarray(np.nan, share.dtype), share)
