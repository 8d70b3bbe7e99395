"""Lets NumPy warn at 0 and above.

check = "8.5.d/log1mexp_at_its_edges"
stage = "numpy"
says = "At 0 and above the answer is defined, but NumPy warns on the way. Use np.errstate."
also = ["8.5.d/log1mexp_near_zero"]
"""


def log1mexp(x):
    x = np.asarray(x)
    wide = x.astype(np.float64)
    with np.errstate(under="ignore", over="ignore"):
        near = np.log(-np.expm1(wide))
        far = np.log1p(-np.exp(wide))
        result = np.where(wide > -np.log(2), near, far)
        return np.where(wide > 0, np.nan, result).astype(x.dtype)[()]
