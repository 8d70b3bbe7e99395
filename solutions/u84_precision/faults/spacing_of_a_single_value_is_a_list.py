"""Makes an array with an axis of a single value.

check = "8.4.e/spacing_as_numpy_has_it"
stage = "numpy"
says = "A single value came back as an array with an axis. The result has the shape of x."
"""

_shaped_ulp = ulp


def ulp(x, exponent, mantissa, infinity=True):
    return np.atleast_1d(_shaped_ulp(x, exponent, mantissa, infinity))
