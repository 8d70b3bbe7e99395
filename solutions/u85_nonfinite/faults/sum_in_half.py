"""Adds up in the dtype of the scores.

check = "8.5.b/softmax_whose_sum_does_not_fit"
stage = "numpy"
says = "The sum of 70 000 ones is inf in float16. Add up in a wider dtype and convert the result."
"""


def softmax(x, axis=-1, keep=None):
    x = np.asarray(x)
    dtype = _float_dtype(x)
    keep = np.True_ if keep is None else np.asarray(keep)
    if keep.dtype != np.bool_:
        raise ValueError(f"keep is {keep.dtype}, must be boolean")
    keep = np.broadcast_to(keep, x.shape)
    scores = np.where(keep, x.astype(np.float64), -np.inf)
    top = np.max(scores, axis=axis, keepdims=True, initial=-np.inf)
    spoiled = np.isnan(top) | (top == np.inf)
    # shifting by 0 where the largest is not finite keeps inf - inf from happening
    with np.errstate(all="ignore"):
        weights = np.exp(scores - np.where(np.isfinite(top), top, 0.0))
        total = np.sum(weights.astype(dtype), axis=axis, keepdims=True)
        share = weights / np.where(spoiled | (total == 0), 1.0, total)
        share = np.where(spoiled & keep, np.nan, np.where(keep, share, 0.0))
        return share.astype(dtype)
