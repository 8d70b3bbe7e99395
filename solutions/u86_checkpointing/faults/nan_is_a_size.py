"""Looks for negative sizes alone.

check = "8.6.e/sizes_that_cannot_be"
stage = "numpy"
says = "A size that is NaN or infinite went through. NaN is not below 0, and not above: ask for what must hold instead."
"""

_careful_counts = chain_counts


def chain_counts(sizes, segments):
    if any(size < 0 for size in sizes):
        raise ValueError("a size is negative")
    odd = [size if size == size and size != math.inf else 1 for size in sizes]
    return _careful_counts(odd, segments)
