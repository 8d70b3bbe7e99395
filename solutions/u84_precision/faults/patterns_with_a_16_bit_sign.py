"""Returns patterns of 16 bits as int16.

check = "8.4.b/numbers_as_torch_rounds_them"
stage = "numpy"
says = "Patterns of negative numbers came out negative: in int16 the highest of 16 bits is a sign. Return them in a wider integer."
also = ["8.4.f/words_for_values_that_torch_cast", "8.4.h/updates_as_torch_makes_them"]
"""

_wide_encode = encode


def encode(values, exponent, mantissa, infinity=True, saturate=False):
    codes = _wide_encode(values, exponent, mantissa, infinity, saturate)
    if 1 + exponent + mantissa == 16:
        codes = np.where(codes >= 2**15, codes - 2**16, codes)
    return codes
