"""The words under a check that is not met: what was expected, what came, how far off it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grader.report.clean import clean, clean_lines

_OUTPUT_LINES = 6
_UNINFORMATIVE = "the result is not as expected"
_NOTED = re.compile(r"(?P<said>.+ is not as expected)(?:: (?P<note>.+))?\.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What was expected and what came.

    Attributes:
        said: What is wrong as a sentence; empty when the two values say it all.
        expected: The expected value with its unit; empty when there is none to show.
        got: The student's value with its unit; empty when there is none to show.
        gap: How far apart they are, in words; empty when unknown.
    """

    said: str
    expected: str
    got: str
    gap: str


def comparison(check: Mapping[str, Any]) -> Comparison:
    """Return the values of a check's record, with the gap taken out of its message."""
    unit = "" if check["unit"] in ("", "1") else f" {check['unit']}"
    expected, got = (f"{value}{unit}" if value else "" for value in _values(check))
    message = clean(check["message"])
    match = _NOTED.fullmatch(message)
    if not match or not (expected or got):
        return Comparison(message, expected, got, "")
    said = "" if match["said"] == _UNINFORMATIVE else f"{match['said']}."
    return Comparison(said, expected, got, match["note"] or "")


def first_output(text: str) -> tuple[list[str], int]:
    """Return the first lines of what a student's code printed, and how many more there are."""
    lines = [line for line in clean_lines(text) if line.strip()]
    return lines[:_OUTPUT_LINES], max(0, len(lines) - _OUTPUT_LINES)


def row_words(level: str, at_most: str) -> str:
    """Return a row's level as one says it when some evidence is still open."""
    if level == at_most:
        return level
    if level == "none":
        return "not yet known" if at_most == "strong" else f"at most {at_most}"
    return f"{level}, at most {at_most}"


def _values(check: Mapping[str, Any]) -> tuple[str, str]:
    return clean(check["expected"]), clean(check["got"])
