"""Keeps x away from 0 with a clip."""


def log1mexp(x):
    x = np.asarray(x)
    wide = np.where(x > 0, 1.0, np.minimum(x.astype(np.float64), -1e-12))
    with np.errstate(all="ignore"):
        near = np.log(-np.expm1(wide))
        far = np.log1p(-np.exp(wide))
        result = np.where(wide > -np.log(2), near, far)
        return np.where(wide > 0, np.nan, result).astype(x.dtype)[()]
