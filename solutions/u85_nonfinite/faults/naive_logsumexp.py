"""Takes the exponential of the scores as they are.

check = "8.5.c/logsumexp_of_any_size"
stage = "numpy"
says = "The exponential of a large score is inf, and its logarithm too. Take the largest score off and add it again."
"""


def logsumexp(x, axis=-1):
    x = np.asarray(x)
    scores = x.astype(np.float64)
    top = np.max(scores, axis=axis, keepdims=True, initial=-np.inf)
    shift = np.where(np.isfinite(top), 0.0, 0.0)
    with np.errstate(divide="ignore", over="ignore", under="ignore"):
        total = np.sum(np.exp(scores - shift), axis=axis)
        result = np.log(total) + np.squeeze(shift, axis=axis)
        return np.asarray(result).astype(_float_dtype(x))[()]
