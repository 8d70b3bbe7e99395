"""Gives a score of +inf the share 1."""


def softmax(x, axis=-1, keep=None):
    x = np.asarray(x)
    dtype = _float_dtype(x)
    keep = np.True_ if keep is None else np.asarray(keep)
    if keep.dtype != np.bool_:
        raise ValueError(f"keep is {keep.dtype}, must be boolean")
    keep = np.broadcast_to(keep, x.shape)
    scores = np.where(keep, x.astype(np.float64), -np.inf)
    top = np.max(scores, axis=axis, keepdims=True, initial=-np.inf)
    spoiled = np.isnan(top)
    scores = np.where(top == np.inf, np.where(scores == np.inf, 0.0, -np.inf), scores)
    top = np.where(top == np.inf, 0.0, top)
    # shifting by 0 where the largest is not finite keeps inf - inf from happening
    with np.errstate(over="ignore", under="ignore"):
        weights = np.exp(scores - np.where(np.isfinite(top), top, 0.0))
        total = np.sum(weights, axis=axis, keepdims=True)
        share = weights / np.where(spoiled | (total == 0), 1.0, total)
        share = np.where(spoiled & keep, np.nan, np.where(keep, share, 0.0))
        return share.astype(dtype)
