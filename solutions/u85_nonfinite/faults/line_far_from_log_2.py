"""Chooses both formulas rightly and changes from one to the other far from -log(2).

check = "8.5.d/log1mexp_beside_its_line"
stage = "numpy"
says = "Each formula is right on its side, and this is what the other one gives where it begins to lose digits. Look at where you change sides."
source = "Maechler 2012, Accurately computing log(1 - exp(-|a|))"
"""


def log1mexp(x):
    x = np.asarray(x)
    wide = x.astype(np.float64)
    with np.errstate(all="ignore"):
        result = np.where(wide > -6, np.log(-np.expm1(wide)), np.log1p(-np.exp(wide)))
        return np.where(wide > 0, np.nan, result).astype(x.dtype)[()]
