"""What a machine can check of a student's sentence: which names it has, and which numbers. Pure.

It must name the right thing and repeat that thing's measured number within 1 %; a sentence that
names everything says nothing. Whether it is a good sentence is for a person.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from grader.predictions.discrepancy import DISCREPANCY_FILE
from grader.predictions.units import FAMILIES

TOLERANCE = 0.01
"""Relative tolerance for a repeated number [1]."""

_PLACE = f"`because` in {DISCREPANCY_FILE}"
_MOST_NUMBERS = 20
_NUMBER = re.compile(
    r"(?<![\w.])(?P<number>[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,2})?)"
    r"(?: ?(?P<unit>%|[A-Za-z\u00b5\u03bc]+)(?!\w))?"
)
_FACTORS = {
    name: float(size) for units in FAMILIES.values() for name, size in units.items() if name
} | {"%": 0.01, "\u00b5s": 1e-6, "\u03bcs": 1e-6}


def fault_in_sentence(
    text: str,
    names: tuple[str, ...],
    every: tuple[str, ...],
    sizes: Mapping[str, int | float],
) -> str:
    """Return what a sentence lacks; empty when it names a cause with its measured number.

    Args:
        text: The sentence.
        names: Names of which it must have one; none are asked for if empty.
        every: Names of which it must not have all.
        sizes: Measured numbers. Those of the names that were used count, or all if none has any.
    """
    if not text.strip():
        return f"say why in {_PLACE}"
    used = named(text, names)
    if names and not used:
        return f"name {' or '.join(dict.fromkeys(names))} in {_PLACE}"
    if len(every) > 2 and len(named(text, every)) == len(every):
        return f"{_PLACE} names every one of {', '.join(every)}: say which it is"
    if len(numbers(text)) > _MOST_NUMBERS:
        return f"{_PLACE} gives more than {_MOST_NUMBERS} numbers: give the one that matters"
    relevant = [sizes[name] for name in used if name in sizes] or list(sizes.values())
    if any(relevant) and not repeats(text, relevant):
        return f"repeat the measured number within 1 % in {_PLACE}"
    return ""


def named(text: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return those of `names` that stand in `text` as whole words, in their given order.

    Case does not matter, and ``data_wait`` may be written "data wait" or "data-wait".
    """
    return tuple(name for name in names if _pattern(name).search(text))


def numbers(text: str) -> tuple[tuple[float, ...], ...]:
    """Return each number of `text` in the ways it can be read.

    ``12.6 ms`` is 12.6 and 0.0126, ``55 %`` is 55 and 0.55, ``21,626,880`` is one number.
    """
    found = []
    for match in _NUMBER.finditer(text):
        bare = float(match["number"].replace(",", ""))
        unit = match["unit"] or ""
        factor = _FACTORS.get(unit) or _FACTORS.get(unit.removesuffix("s")) or 1.0
        found.append((bare,) if factor == 1.0 else (bare, bare * factor))
    return tuple(found)


def repeats(text: str, measured: Iterable[int | float]) -> bool:
    """Whether `text` gives one of the measured numbers within 1 %; a zero cannot be repeated."""
    readings = [reading for ways in numbers(text) for reading in ways]
    return any(
        abs(reading - abs(size)) <= TOLERANCE * abs(size)
        for size in measured
        if size != 0
        for reading in readings
    )


def _pattern(name: str) -> re.Pattern[str]:
    words = (re.escape(word) for word in re.split(r"[\s_-]+", name) if word)
    return re.compile(r"(?<![A-Za-z0-9])" + r"[\s_-]+".join(words) + r"(?![A-Za-z0-9])", re.I)
