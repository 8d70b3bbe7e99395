"""Shifts by the largest score also where that is infinite.

check = "8.5.c/logsumexp_of_infinities"
stage = "numpy"
says = "The largest score is infinite there, and inf - inf is NaN. Shift by 0 where it is not finite."
"""


def logsumexp(x, axis=-1):
    x = np.asarray(x)
    scores = x.astype(np.float64)
    top = np.max(scores, axis=axis, keepdims=True, initial=-np.inf)
    shift = top
    with np.errstate(all="ignore"):
        total = np.sum(np.exp(scores - shift), axis=axis)
        result = np.log(total) + np.squeeze(shift, axis=axis)
        return np.asarray(result).astype(_float_dtype(x))[()]
