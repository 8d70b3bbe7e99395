"""Gives float64 back whatever came in."""


def logsumexp(x, axis=-1):
    x = np.asarray(x)
    scores = x.astype(np.float64)
    top = np.max(scores, axis=axis, keepdims=True, initial=-np.inf)
    shift = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore", over="ignore", under="ignore"):
        total = np.sum(np.exp(scores - shift), axis=axis)
        result = np.log(total) + np.squeeze(shift, axis=axis)
        return np.asarray(result)[()]
