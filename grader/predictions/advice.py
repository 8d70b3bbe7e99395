"""What to tell a person whose text is not a quantity, or whose word is not a known one."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable

from grader.predictions.units import EXAMPLES, FAMILIES, FAMILY_NAMES

LONGEST = 64
"""Characters a quantity may have, and that a message repeats of it."""

_ALIASES = {
    "byte": "B",
    "bytes": "B",
    "k": "kB",
    "sec": "s",
    "secs": "s",
    "second": "s",
    "seconds": "s",
    "msec": "ms",
    "usec": "us",
    "\u00b5s": "us",
    "\u03bcs": "us",
    "minute": "min",
    "minutes": "min",
    "percent": "%",
    "pct": "%",
}

_REASONS: tuple[tuple[str, str], ...] = (
    (r"[+-]?(nan|inf)", "this is not a finite number"),
    (r"[+-]?[0-9]{1,3}(,[0-9]{3})+(?![0-9])", "leave out the commas between thousands"),
    (r"[+-]?[0-9]+,[0-9]", "write the decimal point as '.'"),
    (r"[+-]?[0-9]+_[0-9]", "leave out the '_' between digits"),
    (r"[+-]?[0-9]+ +[0-9]", "leave out the spaces between digits"),
    (r"[+-]?[0-9.]+e[+-]?[0-9]{4}", "the exponent is too large to be meant"),
    (r"[+-]?(\.[0-9]|[0-9]+\.(?![0-9]))", "a digit is missing beside the '.'"),
    (r"[~<>=]", "write one number, without a sign of comparison"),
)


def quote(text: str) -> str:
    """Return `text` fit for one line of a message: cut, and without control characters."""
    return printable(text if len(text) <= LONGEST else text[: LONGEST - 3] + "...")


def printable(text: str) -> str:
    """Return `text` with control characters written out, so that they cannot steer a terminal."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the known word that `word` was most likely meant to be; empty when none is near."""
    lowered = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word.lower(), list(lowered), n=1, cutoff=0.6)
    return lowered[near[0]] if near else ""


def why_no_number(text: str, unit: str) -> str:
    """Say why `text` does not follow the grammar of a quantity of this family."""
    write = f"write {EXAMPLES[unit]}"
    if not text:
        return f"there is no quantity here; {write}"
    if len(text) > LONGEST:
        return f"{quote(text)} is longer than a quantity can be; {write}"
    for pattern, reason in _REASONS:
        if re.match(pattern, text, re.IGNORECASE):
            return f"{quote(text)}: {reason}; {write}"
    if not text.isascii():
        return f"{quote(text)}: {_foreign(text)}; {write}"
    return f"{quote(text)} is not one number with one unit; {write}"


def why_no_unit(written: str, unit: str) -> str:
    """Say why `written` is not a unit of this family, and which one was probably meant."""
    family = tuple(FAMILIES[unit])
    choice = ("one of " if len(family) > 1 else "") + ", ".join(family)
    if not written:
        return f"the unit is missing, use {choice}"
    for other, units in FAMILIES.items():
        if written in units:
            wanted = "a plain number" if unit == "1" else f"{FAMILY_NAMES[unit]}, use {choice}"
            return f"'{written}' is a unit of {FAMILY_NAMES[other]}, this field takes {wanted}"
    if unit == "1":
        return f"unit '{quote(written)}' is not known, this field takes a plain number"
    meant = _meant(written, family)
    if not meant and not written.isascii():
        return _foreign(written)
    return f"unit '{quote(written)}' is not known, " + (
        f"did you mean {meant}?" if meant else f"use {choice}"
    )


def _foreign(text: str) -> str:
    """Name the first character that no quantity has, such as a no-break space from a web page."""
    character = next(c for c in text if not c.isascii())
    name = unicodedata.name(character, "unnamed").lower()
    return f"the character U+{ord(character):04X} ({name}) does not belong there"


def _meant(written: str, units: tuple[str, ...]) -> str:
    """Return the unit that a mistyped one stands for: ``MB`` for ``Mb``, ``FLOP`` for ``FLOPs``."""
    lowered = written.lower()
    if _ALIASES.get(lowered, "") in units:
        return _ALIASES[lowered]
    for candidate in (lowered, lowered.removesuffix("s")):
        for known in units:
            if candidate == known.lower():
                return known
    first = written.split(" ", maxsplit=1)[0]
    if first in units:
        return f"{first} alone"
    return nearest(written, (name for name in units if len(name) > 1))
