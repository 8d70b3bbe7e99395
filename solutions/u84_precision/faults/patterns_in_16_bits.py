"""Keeps bit patterns in int16.

check = "8.4.a/patterns_as_torch_reads_them"
stage = "numpy"
says = "Patterns with the highest of 16 bits set came out wrong: in int16 that bit is a sign. Use a wider integer."
also = ["8.4.h/updates_as_torch_makes_them"]
"""

_wide_decode = decode


def decode(bits, exponent, mantissa, infinity=True):
    codes = np.asarray(bits).astype(np.int64)
    if 1 + exponent + mantissa >= 16:
        codes = codes & 0x7FFF
    return _wide_decode(codes, exponent, mantissa, infinity)
