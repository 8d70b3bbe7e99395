"""All numbers of a small floating format, made by adding spacings: no bits are shifted.

A format is exponent bits, mantissa bits, and whether its highest exponent is kept for infinity and
NaN as in IEEE 754, or only all ones are a NaN.
"""

from __future__ import annotations

import math

import numpy as np

from grader.checks.draw import Draw

Format = tuple[int, int, bool]

BAD_FORMATS = {
    "1 exponent bit": (1, 3),
    "9 exponent bits": (9, 3),
    "no mantissa": (5, 0),
    "24 mantissa bits": (8, 24),
}
"""Formats that functions of values and of bit patterns refuse, by what is wrong with them."""


def drawn_formats(draw: Draw) -> list[Format]:
    """Return two formats that no library has, one with infinities and one without."""
    return [
        (draw.integer(3, 5), draw.choice([4, 5, 6]), True),
        (draw.integer(3, 5), draw.choice([1, 2, 4, 5]), False),
    ]


def described(fmt: Format) -> str:
    """Write a format down."""
    exponent, mantissa, infinity = fmt
    kind = "with" if infinity else "without"
    return f"{exponent} exponent and {mantissa} mantissa bits, {kind} infinities"


def numbers_of(fmt: Format) -> list[float]:
    """Return all numbers of a format from 0 up; the place of a number is its bit pattern.

    The spacing is that of the subnormals for two stretches and doubles after each further one.
    """
    exponent, mantissa, infinity = fmt
    count = 2 ** (exponent + mantissa) - (2**mantissa if infinity else 1)
    spacing = 2.0 ** (2 - 2 ** (exponent - 1) - mantissa)
    numbers = [0.0]
    while len(numbers) < count:
        if len(numbers) > 2 * 2**mantissa and (len(numbers) - 1) % 2**mantissa == 0:
            spacing *= 2
        numbers.append(numbers[-1] + spacing)
    return numbers


def last_gap(numbers: list[float], fmt: Format) -> float:
    """Return the spacing at the largest number, which may be alone in its stretch."""
    alone = fmt[1] == 1 and not fmt[2]
    return (numbers[-1] - numbers[-2]) * (2 if alone else 1)


def meanings(fmt: Format) -> np.ndarray:
    """Return what each bit pattern of a format means, the negative half after the positive."""
    numbers, half = numbers_of(fmt), 2 ** (fmt[0] + fmt[1])
    rest = half - len(numbers)
    infinite = [math.inf] if fmt[2] else []
    positive = [*numbers, *infinite, *([math.nan] * (rest - len(infinite)))]
    return np.array([*positive, *(-x for x in positive)])
