"""Adds sizes up as floats.

check = "8.6.e/sizes_beyond_int64"
stage = "numpy"
says = "Beyond 2**53 floats are not exact. Integers that come in have to stay integers."
"""

_exact_counts = chain_counts


def chain_counts(sizes, segments):
    return _exact_counts([float(size) for size in sizes], segments)
