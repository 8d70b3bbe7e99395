"""Small truths about numbers that the checks of several units need."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any


def is_number(value: Any) -> bool:
    """Whether a piece of plain data is a number; a bool is none."""
    return isinstance(value, Real) and not isinstance(value, bool)


def is_finite(value: Any) -> bool:
    """Whether a piece of plain data is a number that a float can hold, neither NaN nor infinite."""
    try:
        return is_number(value) and math.isfinite(value)
    except OverflowError:
        return False


def is_count(value: Any) -> bool:
    """Whether a piece of plain data is an integer, by its type; a bool is none."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def quantile(values: Sequence[float], q: float) -> float:
    """Return a quantile by its definition: linear between the two neighbouring ranks."""
    ordered, place = sorted(values), q * (len(values) - 1)
    low = math.floor(place)
    high = min(low + 1, len(values) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def bootstrap_interval_of_the_median(
    values: Sequence[float], confidence: float
) -> tuple[float, float]:
    """Return the bootstrap interval of the median of an odd number of values, without drawing.

    The median of n draws is at most the k-th smallest value if the majority of them is, and each
    draw is with probability k / n: a binomial tail for each k.
    """
    ordered, n = sorted(values), len(values)
    half = (n + 1) // 2

    def at_most(k: int) -> float:
        if k == n:
            return 1.0
        p = k / n
        logs = (
            math.lgamma(n + 1) - math.lgamma(j + 1) - math.lgamma(n - j + 1)
            + j * math.log(p) + (n - j) * math.log1p(-p)
            for j in range(half, n + 1)
        )  # fmt: skip
        return math.fsum(map(math.exp, logs))

    tail = (1 - confidence) / 2
    low, high = (next(k for k in range(1, n + 1) if at_most(k) >= q) for q in (tail, 1 - tail))
    return ordered[low - 1], ordered[high - 1]
