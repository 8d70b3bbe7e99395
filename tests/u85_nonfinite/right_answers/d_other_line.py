"""Changes sides at -1."""


def log1mexp(x):
    x = np.asarray(x)
    wide = x.astype(np.float64)
    with np.errstate(all="ignore"):
        near = np.log(-np.expm1(wide))
        far = np.log1p(-np.exp(wide))
        result = np.where(wide > -1.0, near, far)
        return np.where(wide > 0, np.nan, result).astype(x.dtype)[()]
