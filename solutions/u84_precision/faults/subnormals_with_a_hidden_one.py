"""Gives subnormals the hidden one of a normal number.

check = "8.4.a/every_pattern_of_drawn_formats"
stage = "numpy"
says = "The numbers with exponent field 0 come out too large: they have no hidden one, and the exponent of field 1."
also = ["8.4.a/patterns_as_torch_reads_them", "8.4.a/patterns_in_any_container", "8.4.f/what_becomes_of_each_value", "8.4.f/words_for_values_that_torch_cast"]
"""

_plain_decode = decode


def decode(bits, exponent, mantissa, infinity=True):
    values = _plain_decode(bits, exponent, mantissa, infinity)
    codes = np.asarray(bits).astype(np.int64)
    field = (codes >> mantissa) & (2**exponent - 1)
    hidden = np.ldexp(1.0, 2 - 2 ** (exponent - 1))
    return np.where(field == 0, values + np.copysign(hidden, values), values)
