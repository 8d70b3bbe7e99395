"""Takes the stretch from log2.

check = "8.4.e/spacing_just_under_a_power_of_two"
stage = "numpy"
says = "Just under a power of two log2 rounds to a whole number, and the spacing comes out twice as large. np.frexp is exact."
"""

_frexp_ulp = ulp


def ulp(x, exponent, mantissa, infinity=True):
    spacing = _frexp_ulp(x, exponent, mantissa, infinity)
    magnitudes = np.abs(np.asarray(x, dtype=np.float64))
    safe = np.where((magnitudes > 0) & np.isfinite(magnitudes), magnitudes, 1.0)
    lowest = 2 - 2 ** (exponent - 1)
    stretch = np.where(magnitudes > 0, np.maximum(np.floor(np.log2(safe)), lowest), lowest)
    return np.where(np.isnan(spacing), spacing, 2.0 ** (stretch - mantissa))
