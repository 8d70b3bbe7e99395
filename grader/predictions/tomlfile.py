"""Small TOML files from students, read strictly: a regular UTF-8 file, each key with its line."""

from __future__ import annotations

import os
import re
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.errors import Problem, SheetError
from grader.predictions.advice import printable, quote
from grader.predictions.statements import Statement, statements

LARGEST = 64 << 10
"""Bytes that a sheet may have [B]."""

_MOST_PROBLEMS = 20

_LINE_IN_MESSAGE = re.compile(r" \(at line (\d+), column \d+\)$")


@dataclass(frozen=True, slots=True)
class TomlFile:
    """The content of one file.

    Attributes:
        name: The file's path for messages.
        data: What the TOML says.
        raw: The very bytes that were read.
        problems: Syntax errors and duplicate keys; `data` is then what the sound statements say.
        lines: First line of each key, by its path: ``("q1", "answer")``; an index counts the tables
            of an array: ``("question", 0, "answer")``.
    """

    name: str
    data: Mapping[str, Any]
    raw: bytes
    problems: tuple[Problem, ...]
    lines: Mapping[tuple[str | int, ...], int]

    def place(self, *path: str | int) -> str:
        """Return ``file:line`` of a key, or of the nearest table around it that has a line."""
        for length in range(len(path), 0, -1):
            line = self.lines.get(path[:length])
            if line is not None:
                return f"{self.name}:{line}"
        return self.name

    def line(self, *path: str | int) -> int:
        """Return the line of a key; 0 when it has none."""
        return self.lines.get(path, 0)


def read_toml(path: Path) -> TomlFile:
    """Read a TOML file of at most 64 KiB.

    Raises:
        SheetError: if it is missing, a link, not a file, too large or not UTF-8. Errors of syntax
            are only collected, so that they can be told together with errors of meaning.
    """
    return toml_of(read_regular_file(path), shown(path))


def toml_of(raw: bytes, name: str) -> TomlFile:
    """Return what the bytes of a TOML file say.

    Raises:
        SheetError: if they are too many or not UTF-8; errors of syntax are only collected.
    """
    if len(raw) > LARGEST:
        raise SheetError(_too_large(name))
    text = _decode(raw, name)
    parts = tuple(statements(text))
    try:
        return TomlFile(name, tomllib.loads(text), raw, (), _lines(parts))
    except (ValueError, RecursionError) as error:
        data, problems = _salvage(parts, error, name)
        return TomlFile(name, data, raw, tuple(problems), _lines(parts))


def read_regular_file(path: Path) -> bytes:
    """Return the bytes of a regular file, never following a link and never waiting on a pipe.

    Raises:
        SheetError: if there is no such file, or it is something else or too large.
    """
    name = shown(path)
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    if path.is_symlink():
        raise SheetError(Problem(name, "is a link", "put the file itself there"))
    try:
        descriptor = os.open(path, flags)
    except FileNotFoundError as error:
        raise SheetError(Problem(name, "there is no such file")) from error
    except OSError as error:
        raise SheetError(Problem(name, f"cannot be opened: {error.strerror}")) from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise SheetError(Problem(name, "is not a regular file", "put a text file there"))
        with open(descriptor, "rb", closefd=False) as file:
            raw = file.read(LARGEST + 1)
    except OSError as error:
        raise SheetError(Problem(name, f"cannot be read: {error.strerror}")) from error
    finally:
        os.close(descriptor)
    if len(raw) > LARGEST:
        raise SheetError(_too_large(name))
    return raw


def _too_large(name: str) -> Problem:
    return Problem(name, f"is larger than {LARGEST >> 10} KiB", "shorten it")


def shown(path: Path) -> str:
    """Return a path as a person would type it: relative to the current folder if it lies below."""
    try:
        return str(path.absolute().relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(path)


def _decode(raw: bytes, name: str) -> str:
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise SheetError(Problem(name, "is UTF-16 text", "save it as UTF-8"))
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        seen = f"byte 0x{raw[error.start]:02x} is not UTF-8"
        raise SheetError(Problem(f"{name}:{line}", seen, "save the file as UTF-8")) from error


def _salvage(
    parts: tuple[Statement, ...], whole: Exception, name: str
) -> tuple[Mapping[str, Any], list[Problem]]:
    """Judge each statement on its own, so that one broken line does not hide the next."""
    problems: list[Problem] = []
    sound: list[str] = []
    first: dict[tuple[str | int, ...], int] = {}
    lost_table = False
    for part in parts:
        problem = _problem_of(part, first, name)
        if part.is_header:
            lost_table = problem is not None
        if problem is not None:
            problems.append(problem)
        elif not lost_table:
            sound.append(part.text)
        first.setdefault(part.path, part.line)
    try:
        return tomllib.loads("\n".join(sound)), problems[:_MOST_PROBLEMS]
    except (ValueError, RecursionError):
        return {}, problems[:_MOST_PROBLEMS] or [_syntax_problem(whole, name, 1)]


def _problem_of(
    part: Statement, first: Mapping[tuple[str | int, ...], int], name: str
) -> Problem | None:
    try:
        tomllib.loads(part.text)
    except (ValueError, RecursionError) as error:
        return _syntax_problem(error, name, part.line)
    if part.path and part.path in first:
        key = quote(".".join(str(step) for step in part.path))
        seen = f"'{key}' is given twice, first on line {first[part.path]}"
        return Problem(f"{name}:{part.line}", seen, "keep one of them")
    return None


def _syntax_problem(error: Exception, name: str, first_line: int) -> Problem:
    """Turn an error of the parser, which counts lines from `first_line`, into a problem."""
    if isinstance(error, RecursionError):
        return Problem(f"{name}:{first_line}", "is nested too deeply")
    if not isinstance(error, tomllib.TOMLDecodeError):
        return Problem(f"{name}:{first_line}", "a number has too many digits")
    text = str(error).removesuffix(" (at end of document)")
    found = _LINE_IN_MESSAGE.search(text)
    if found is not None:
        text, first_line = text[: found.start()], first_line + int(found[1]) - 1
    seen = f"is not valid TOML: {text[:1].lower()}{printable(text[1:])}"
    return Problem(f"{name}:{first_line}", seen, 'write it as name = "value"')


def _lines(parts: tuple[Statement, ...]) -> dict[tuple[str | int, ...], int]:
    lines: dict[tuple[str | int, ...], int] = {}
    for part in parts:
        for length in range(1, len(part.path) + 1):
            lines.setdefault(part.path[:length], part.line)
    return lines
