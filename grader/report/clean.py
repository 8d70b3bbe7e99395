"""Make text that a student wrote safe to show: no escape sequence, no control character."""

from __future__ import annotations

import re
import unicodedata

_SEQUENCES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # control sequences: colours, cursor moves, erasing
    r"|\ufffd\[[0-9;]*m"  # colours whose escape was replaced on the way here
    r"|\x9b[0-?]*[ -/]*[@-~]"  # the same with the one-character introducer
    r"|(?:\x1b\]|\x9d)[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)"  # titles, links, clipboard
    r"|\x1b[PX^_][^\x1b\n]*\x1b\\"  # device strings
    r"|\x1b[ -/]*[0-~]"  # everything else that starts with an escape
)
_NEWLINES = re.compile(r"\r\n|[\r\v\f\x85\u2028\u2029]")
_UNSAFE = frozenset({"Cc", "Cf", "Cs"})  # control, invisible or bidirectional, lone surrogates
_TAB = "    "


def clean_lines(text: str) -> list[str]:
    """Return the lines of `text` without anything that could act on a terminal."""
    plain = _SEQUENCES.sub("", _NEWLINES.sub("\n", text)).replace("\t", _TAB)
    return ["".join(filter(_is_safe, line)).rstrip() for line in plain.split("\n")]


def clean(text: str) -> str:
    """Return `text` as one line without anything that could act on a terminal."""
    return " ".join(line.strip() for line in clean_lines(text) if line.strip())


def _is_safe(character: str) -> bool:
    return unicodedata.category(character) not in _UNSAFE
