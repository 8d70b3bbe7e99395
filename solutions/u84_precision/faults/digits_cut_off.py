"""Cuts digits off instead of rounding.

check = "8.4.b/nearest_and_ties_to_even"
stage = "numpy"
says = "This is what cutting off gives: always towards 0. Round to the nearest number."
also = ["8.4.b/overflow_infinity_and_nan", "8.4.b/rounded_once", "8.4.b/numbers_as_torch_rounds_them", "8.4.f/what_becomes_of_each_value", "8.4.f/words_for_values_that_torch_cast", "8.4.h/a_thousand_small_updates", "8.4.h/updates_as_torch_makes_them"]
"""

_rounding_encode = encode


def encode(values, exponent, mantissa, infinity=True, saturate=False):
    _, lowest = _checked(exponent, mantissa)
    values = np.asarray(values, dtype=np.float64)
    safe = np.where(np.isfinite(values), values, 0.0)
    shift = mantissa - _binade(np.abs(safe), lowest)
    cut = np.ldexp(np.trunc(np.ldexp(safe, shift)), -shift)
    cut = np.where(np.isfinite(values), np.copysign(cut, values), values)
    return _rounding_encode(cut, exponent, mantissa, infinity, saturate)
