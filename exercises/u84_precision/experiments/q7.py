"""Every number of a format with 3 exponent bits and 2 mantissa bits, decoded."""

import math

EXPONENT, MANTISSA = 3, 2
BIAS = 2 ** (EXPONENT - 1) - 1


def value(bits):
    exponent, mantissa = bits >> MANTISSA, bits % 2**MANTISSA
    if bits == 2 ** (EXPONENT + MANTISSA) - 1:
        return math.nan  # all bits are one
    if exponent == 0:
        return mantissa * 2.0 ** (1 - BIAS - MANTISSA)
    return (1 + mantissa / 2**MANTISSA) * 2.0 ** (exponent - BIAS)


found = [value(bits) for bits in range(2 ** (EXPONENT + MANTISSA))]
print(found)
print("the largest that is finite:", max(v for v in found if not math.isnan(v)))
