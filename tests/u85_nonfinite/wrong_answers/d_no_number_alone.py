"""Writes into its result by a mask, which a number alone does not allow."""


def log1mexp(x):
    x = np.asarray(x)
    wide = x.astype(np.float64)
    with np.errstate(all="ignore"):
        result = np.log(-np.expm1(wide))
        far = wide <= -np.log(2)
        result[far] = np.log1p(-np.exp(wide[far]))
        result[wide > 0] = np.nan
    return result.astype(x.dtype)
