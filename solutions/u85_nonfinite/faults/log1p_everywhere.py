"""Uses log1p on both sides.

check = "8.5.d/log1mexp_near_zero"
stage = "numpy"
says = "Near 0 exp(x) rounds to 1, and log1p is given exactly -1. expm1 keeps the digits there."
# the same result is looked at there
also = [
  "8.5.d/log1mexp_beside_its_line",
]
"""


def log1mexp(x):
    x = np.asarray(x)
    wide = x.astype(np.float64)
    with np.errstate(all="ignore"):
        near = np.log(-np.expm1(wide))
        far = np.log1p(-np.exp(wide))
        result = np.where(wide >= 0, near, far)
        return np.where(wide > 0, np.nan, result).astype(x.dtype)[()]
