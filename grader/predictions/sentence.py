"""What a machine can check of a student's sentence: which names it has, and which numbers. Pure.

It must name one thing, the right one, and repeat that thing's measured number within 1 %; a text of
the sheet has no other number. Who names everything, or writes down numbers until one fits, says
nothing. Whether it is a good sentence is for a person.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping

from grader.predictions.units import FAMILIES

TOLERANCE = 0.01
"""Relative tolerance for a repeated number [1]."""

MOST_CANDIDATES = 3
"""Numbers of about the right size that a sentence may have."""

_ABOUT = 100
"""Numbers within this factor of the measured one are about its size [1]."""

_NUMBER = re.compile(
    r"(?<![\w.])"
    r"(?P<number>(?:[0-9]{1,3}(?:[ ,_\u00a0\u2009\u202f][0-9]{3})+(?![0-9])|[0-9]+)"
    r"(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,2})?|\.[0-9]+(?:[eE][+-]?[0-9]{1,2})?)"
    r"(?:(?P<tens> ?[x*\u00d7\u00b7] ?10)?(?:\^|\*\*)\(?(?P<power>[+-]?[0-9]{1,3})\)?)?"
    r"(?: ?(?P<unit>%|[A-Za-z\u00b5\u03bc]+)(?!\w))?"
)
_RAISED = str.maketrans(
    "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207a\u207b\u2212",
    "0123456789+--",
)
_SUPERSCRIPT = re.compile(r"(?<=[0-9])[\u207a\u207b]?[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+")
_FACTORS = {
    name: float(size) for units in FAMILIES.values() for name, size in units.items() if name
} | {"%": 0.01, "\u00b5s": 1e-6, "\u03bcs": 1e-6}
_FACTORS |= {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "million": 1e6, "billion": 1e9}


def fault_in_form(text: str, names: tuple[str, ...]) -> str:
    """Return what a text lacks before anything is measured: one name of `names`, one number."""
    used = named(text, names)
    if len(used) != 1:
        return _which(used, names)
    given = len(numbers(text, names))
    if given == 0:
        return f"write the number of {used[0]} too, with its unit"
    return "" if given == 1 else f"it has {given} numbers: write the number of {used[0]} alone"


def fault_in_text(text: str, names: tuple[str, ...], sizes: Mapping[str, int | float]) -> str:
    """Return what a sentence lacks; empty when it has one cause and its number and no other.

    Args:
        text: The sentence.
        names: Names of the causes.
        sizes: Measured number of each.
    """
    fault = fault_in_form(text, names)
    if fault:
        return fault
    name = named(text, names)[0]
    size = sizes.get(name)
    return _fault_in_numbers(text, name, size, names) if size else f"{name} has no size"


def fault_in_choice(
    text: str,
    truth: str,
    own: str,
    choices: tuple[str, ...],
    terms: tuple[str, ...],
    sizes: Mapping[str, int | float],
) -> str:
    """Return what a sentence about a wrong choice lacks; empty when it explains the measured one.

    Args:
        text: The sentence.
        truth: The measured choice, which it must name.
        own: What the student chose, which it may name.
        choices: The other choices, which it must not name.
        terms: Names of which it must have one where the measured choice has no number of its own.
        sizes: Measured numbers of choices and terms.
    """
    if not text:
        return "say why"
    every = tuple(dict.fromkeys((truth, own, *choices, *terms)))
    used = named(text, every)
    if truth not in used:
        return f"name {truth}, which was measured"
    others = [name for name in used if name in choices and name not in (truth, own)]
    if others:
        return f"name {truth} alone, beside your own choice, and not {' or '.join(others)}"
    if sizes.get(truth):
        return _fault_in_numbers(text, truth, sizes[truth], every)
    causes = [name for name in terms if sizes.get(name)]
    given = [name for name in used if name in causes]
    if len(given) != 1:
        return _which(given, causes)
    return _fault_in_numbers(text, given[0], sizes[given[0]], every)


def named(text: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return those of `names` that stand in `text` as whole words, in their given order.

    Case does not matter, and ``data_wait`` may be written "data wait" or "data-wait". A name that
    is part of a longer one is not named by it.
    """
    found = _split(text, names)[0]
    return tuple(name for name in names if name in found)


def numbers(text: str, names: Iterable[str] = ()) -> tuple[tuple[float, ...], ...]:
    """Return each number of `text` in the ways it can be read; digits in names are no numbers.

    ``12.6 ms`` is 0.0126, ``55 %`` is 55 or 0.55, ``21,626,880`` and ``21 626 880`` are one number,
    and so are ``2.63 x 10^-3``, ``2**-23`` and ``.5``.
    """
    found = []
    for match in _NUMBER.finditer(_level(_split(text, names)[1])):
        bare = _value(match)
        unit = match["unit"] or ""
        factor = _FACTORS.get(unit) or _FACTORS.get(unit.removesuffix("s")) or 1.0
        found.append((bare, bare * factor) if unit == "%" else (bare * factor,))
    return tuple(found)


def _level(text: str) -> str:
    """Return `text` with raised digits written after a caret, and one kind of minus."""
    return _SUPERSCRIPT.sub(lambda raised: f"^{raised[0]}", text).translate(_RAISED)


def _value(match: re.Match[str]) -> float:
    """Return the number that was written, before its unit; infinity if a float cannot hold it."""
    written = float(re.sub(r"[ ,_\u00a0\u2009\u202f]", "", match["number"]))
    if match["power"] is None:
        return written
    power = int(match["power"])
    try:
        return written * 10.0**power if match["tens"] else written**power
    except (OverflowError, ZeroDivisionError):
        return math.inf


def _fault_in_numbers(text: str, name: str, size: int | float, names: Iterable[str]) -> str:
    """Return what is wrong with the numbers of a sentence that must repeat `size`."""
    near = {
        ways
        for ways in numbers(text, names)
        if any(abs(size) / _ABOUT <= reading <= abs(size) * _ABOUT for reading in ways)
    }
    if len(near) > MOST_CANDIDATES:
        return f"it gives {len(near)} numbers of about that size: give the one that matters"
    if any(abs(way - abs(size)) <= TOLERANCE * abs(size) for ways in near for way in ways):
        return ""
    return f"it does not give the measured number of {name} within 1 %"


def _which(used: Iterable[str], names: Iterable[str]) -> str:
    said = " and ".join(used)
    return f"name one of {', '.join(names)}" + (f", not {said}" if said else "")


def _split(text: str, names: Iterable[str]) -> tuple[frozenset[str], str]:
    """Return which names stand in `text`, and the text without them; the longest name wins."""
    found = set()
    for name in sorted(names, key=len, reverse=True):
        text, count = _pattern(name).subn(" | ", text)
        if count:
            found.add(name)
    return frozenset(found), text


def _pattern(name: str) -> re.Pattern[str]:
    words = (re.escape(word) for word in re.split(r"[\s_-]+", name) if word)
    return re.compile(r"(?<![A-Za-z0-9])" + r"[\s_-]+".join(words) + r"(?![A-Za-z0-9])", re.I)
