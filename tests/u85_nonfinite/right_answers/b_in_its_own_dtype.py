"""Computes in the dtype of the scores and sums in float64."""


def softmax(x, axis=-1, keep=None):
    x = np.asarray(x)
    x = x if x.dtype.kind == "f" else x.astype(float)
    if keep is None:
        keep = True
    elif np.asarray(keep).dtype != bool:
        raise ValueError("keep")
    keep = np.broadcast_to(keep, x.shape)
    with np.errstate(all="ignore"):
        masked = np.where(keep, x, x.dtype.type(-np.inf))
        top = np.max(masked, axis=axis, keepdims=True, initial=-np.inf)
        e = np.exp(masked - np.where(np.isneginf(top), x.dtype.type(0), top))
        share = (e / e.sum(axis=axis, keepdims=True, dtype=np.float64)).astype(x.dtype)
        share[np.broadcast_to(np.isneginf(top), x.shape)] = 0
        share[np.broadcast_to(np.isposinf(top), x.shape)] = np.nan
        share[~keep] = 0
    return share
