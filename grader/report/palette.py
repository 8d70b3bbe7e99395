"""Colours of the report: calm, and never the only carrier of a meaning."""

from __future__ import annotations

from rich.style import Style

PLAIN = Style()
DIM = Style(dim=True)
BOLD = Style(bold=True)
_GOOD = Style(color="green")
_BAD = Style(color="red")
_OPEN = Style(color="yellow")

_BY_WORD = {
    "met": _GOOD,
    "not met": _BAD,
    "stopped": _BAD,
    "not attempted": DIM,
    "skipped": DIM,
    "inconclusive": _OPEN,
    "void": _OPEN,
    "grader fault": _OPEN,
    "exact": _GOOD,
    "within band": _GOOD,
    "explained": _GOOD,
    "not explained": _BAD,
    "for a person": DIM,
    "strong": _GOOD,
    "pass": _GOOD,
    "none": _BAD,
    "not yet known": _OPEN,
}


def style_of(word: str) -> Style:
    """Return the style of a status, a state or a level; plain for any other word."""
    return _BY_WORD.get(word, PLAIN)
