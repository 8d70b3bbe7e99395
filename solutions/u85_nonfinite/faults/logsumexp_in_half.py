"""Adds up in the dtype of the scores.

check = "8.5.c/logsumexp_whose_sum_does_not_fit"
stage = "numpy"
says = "The sum of 70 000 exponentials is inf in float16. Add up in a wider dtype and convert the result."
"""


def logsumexp(x, axis=-1):
    x = np.asarray(x)
    scores = x.astype(np.float64)
    top = np.max(scores, axis=axis, keepdims=True, initial=-np.inf)
    shift = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore", over="ignore", under="ignore"):
        total = np.sum(np.exp(scores - shift).astype(_float_dtype(x)), axis=axis)
        result = np.log(total) + np.squeeze(shift, axis=axis)
        return np.asarray(result).astype(_float_dtype(x))[()]
