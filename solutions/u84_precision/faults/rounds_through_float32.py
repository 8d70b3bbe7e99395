"""Goes through float32 and so rounds twice.

check = "8.4.b/rounded_once"
stage = "numpy"
says = "A value a hair above the middle was rounded to float32 first, which put it in the middle, and then to even. Round once, from the float64."
also = ["8.4.b/nearest_and_ties_to_even", "8.4.b/overflow_infinity_and_nan", "8.4.f/what_becomes_of_each_value"]
"""

_direct_encode = encode


def encode(values, exponent, mantissa, infinity=True, saturate=False):
    values = np.asarray(values, dtype=np.float64)
    with np.errstate(over="ignore"):
        single = values.astype(np.float32).astype(np.float64)
    # the range of float32 is another matter
    inside = (np.abs(values) > 1e-30) & (np.abs(values) < 1e30)
    return _direct_encode(np.where(inside, single, values), exponent, mantissa, infinity, saturate)
