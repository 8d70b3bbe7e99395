"""Computes in the dtype that comes in: unusual, and right."""


def log1mexp(x):
    x = np.asarray(x)
    with np.errstate(all="ignore"):
        return np.where(x > -np.log(2), np.log(-np.expm1(x)), np.log1p(-np.exp(x))).astype(x.dtype)
