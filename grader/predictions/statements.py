"""Where each statement of a TOML text begins and ends, which the standard parser does not tell.

A statement is a key with its value or a table header; it may span lines when it holds a multi-line
string or an array. Broken statements are split off too, so that the rest can still be judged.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

KeyPath = tuple[str | int, ...]

_DEEPEST = 6

_TOKEN = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*(?:"{3,5}|(?P<unclosed>\Z))'
    r"|'''(?:[^']|'(?!''))*(?:'{3,5}|(?P<unclosed_literal>\Z))"
    r"|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'"
    r"|\#[^\n]*|(?P<opens>[\[{])|(?P<closes>[\]}])|(?P<newline>\n)|[^\"'\#\[\]{}\n]+|.",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement.

    Attributes:
        line: Its first line, counted from 1.
        text: Its source, all its lines.
        path: Path of the key or table it defines; empty when it cannot be told.
        is_header: Whether it opens a table.
    """

    line: int
    text: str
    path: KeyPath
    is_header: bool


def statements(text: str) -> Iterator[Statement]:
    """Split TOML source into statements, also when some of them are broken."""
    table: KeyPath = ()
    seen: dict[KeyPath, int] = {}
    for line, source in _sources(text.replace("\r\n", "\n")):
        header = re.match(r"\s*(\[\[?)", source)
        if header is None:
            key = _keys(source)
            yield Statement(line, source, (*table, *key) if key else (), False)
            continue
        table = _keys(source)
        if table and header[1] == "[[":
            seen[table] = seen.get(table, -1) + 1
            table = (*table, seen[table])
        yield Statement(line, source, table, True)


def _sources(text: str) -> Iterator[tuple[int, str]]:
    """Yield the first line and the source of each statement, without blank and comment lines.

    The first statement that never closes is cut to its first line, so that the rest is still read;
    a second one takes all that is left, which keeps the time linear in the length of `text`.
    """
    start, line, may_cut = 0, 1, True
    while start < len(text):
        end, closed = _end(text, start)
        if not closed and may_cut:
            may_cut = False
            end = text.find("\n", start) + 1 or len(text)
        source = text[start:end]
        content = source.strip()
        if content and not content.startswith("#"):
            yield line, source.rstrip("\n")
        line += source.count("\n")
        start = end


def _end(text: str, start: int) -> tuple[int, bool]:
    """Return where the statement at `start` ends, after its newline, and whether it closes."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        if token["unclosed"] is not None or token["unclosed_literal"] is not None:
            return len(text), False
        if token["newline"] and depth <= 0:
            return token.end(), True
        depth += bool(token["opens"]) - bool(token["closes"])
    return len(text), depth <= 0


def _keys(source: str) -> KeyPath:
    """Return the key or table name that a statement defines, dotted names as several steps."""
    head = re.match(r"""\s*(?:\[\[?)?((?:"[^"\n]*"|'[^'\n]*'|[^="'\n\]])+)""", source)
    if head is None:
        return ()
    try:
        node: Any = tomllib.loads(head[1].strip() + " = 0")
    except (ValueError, RecursionError):
        return ()
    path: list[str | int] = []
    while isinstance(node, dict) and node and len(path) < _DEEPEST:
        key = next(iter(node))
        path.append(key)
        node = node[key]
    return tuple(path)
