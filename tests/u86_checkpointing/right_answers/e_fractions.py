"""Counts as fractions."""

from fractions import Fraction

_counts = chain_counts


def chain_counts(sizes, segments):
    if any(size != size or size in (math.inf, -math.inf) for size in sizes):
        raise ValueError("size")
    found = _counts([Fraction(size) for size in sizes], segments)
    return {
        key: int(value) if value.denominator == 1 else float(value) for key, value in found.items()
    }
