"""Changes sides at -0.0001 instead of -log(2)."""


def log1mexp(x):
    x = np.asarray(x)
    wide = x.astype(np.float64)
    with np.errstate(all="ignore"):
        result = np.where(wide > -1e-4, np.log(-np.expm1(wide)), np.log1p(-np.exp(wide)))
        return np.where(wide > 0, np.nan, result).astype(x.dtype)[()]
