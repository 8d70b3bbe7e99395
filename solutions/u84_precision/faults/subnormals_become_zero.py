"""Flushes everything under the smallest normal number to zero.

check = "8.4.b/nearest_and_ties_to_even"
stage = "numpy"
says = "What is under the smallest normal number became 0. The subnormals lie there; keep them."
also = ["8.4.b/numbers_as_torch_rounds_them", "8.4.b/values_in_any_container", "8.4.f/what_becomes_of_each_value", "8.4.f/words_for_values_that_torch_cast"]
"""

_gradual_encode = encode


def encode(values, exponent, mantissa, infinity=True, saturate=False):
    values = np.asarray(values, dtype=np.float64)
    normal = 2.0 ** (2 - 2 ** (exponent - 1))
    kept = np.where(np.abs(values) < normal * (1 - 2.0**-30), np.copysign(0.0, values), values)
    return _gradual_encode(kept, exponent, mantissa, infinity, saturate)
