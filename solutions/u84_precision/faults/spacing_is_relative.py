"""Multiplies x by eps.

check = "8.4.e/spacing_is_the_gap_above"
stage = "numpy"
says = "The spacing is not x times eps: it is the same from a power of two to the next, and stops shrinking under the smallest normal number."
also = ["8.4.e/spacing_just_under_a_power_of_two", "8.4.e/spacing_as_numpy_has_it"]
"""

_stepped_ulp = ulp


def ulp(x, exponent, mantissa, infinity=True):
    spacing = _stepped_ulp(x, exponent, mantissa, infinity)
    relative = np.abs(np.asarray(x, dtype=np.float64)) * 2.0**-mantissa
    return np.where(np.isnan(spacing), spacing, relative)
