"""Rounds ties away from zero, as in school.

check = "8.4.b/nearest_and_ties_to_even"
stage = "numpy"
says = "A value in the middle went to the larger number. Ties go to the number whose mantissa is even."
also = ["8.4.b/overflow_infinity_and_nan", "8.4.b/numbers_as_torch_rounds_them", "8.4.f/what_becomes_of_each_value", "8.4.f/words_for_values_that_torch_cast", "8.4.h/a_thousand_small_updates", "8.4.h/updates_as_torch_makes_them", "8.4.h/master_copy_is_float32"]
"""

_even_encode = encode


def encode(values, exponent, mantissa, infinity=True, saturate=False):
    _, lowest = _checked(exponent, mantissa)
    values = np.asarray(values, dtype=np.float64)
    safe = np.where(np.isfinite(values), values, 0.0)
    scaled = np.ldexp(np.abs(safe), mantissa - _binade(np.abs(safe), lowest))
    tie = scaled - np.floor(scaled) == 0.5
    nudged = np.where(tie, np.nextafter(safe, np.copysign(np.inf, safe)), values)
    return _even_encode(nudged, exponent, mantissa, infinity, saturate)
