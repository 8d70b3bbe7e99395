"""Goes on halving the spacing under the smallest normal number.

check = "8.4.e/spacing_is_the_gap_above"
stage = "numpy"
says = "Under the smallest normal number the spacing stays that of the subnormals; at 0 it is not 0."
also = ["8.4.e/spacing_just_under_a_power_of_two", "8.4.e/spacing_as_numpy_has_it"]
"""

_floored_ulp = ulp


def ulp(x, exponent, mantissa, infinity=True):
    spacing = _floored_ulp(x, exponent, mantissa, infinity)
    _, exponents = np.frexp(np.abs(np.asarray(x, dtype=np.float64)))
    return np.where(np.isnan(spacing), spacing, np.ldexp(1.0, exponents - 1 - mantissa))
