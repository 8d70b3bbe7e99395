"""What somebody gave themselves, held against the rows that the evidence gives: pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.course.unit import ROWS
from grader.errors import Problem, SheetError
from grader.predictions.tomlfile import TomlFile, toml_of
from grader.scoring.rows import Level, Row

SELFGRADE_FILE = "selfgrade.toml"
_LEVELS = tuple(level.value for level in Level)


def selfgrade_problems(content: bytes | None, rows: Sequence[Row]) -> list[Problem]:
    """Return what is wrong with a self-grade, and each row where it differs from the evidence.

    Args:
        content: The file's bytes; None if it was not handed in.
        rows: The rows as they were scored.
    """
    if content is None:
        return [Problem(SELFGRADE_FILE, "there is no such file", "say what each row has reached")]
    try:
        file = toml_of(content, SELFGRADE_FILE)
    except SheetError as error:
        return list(error.problems)
    differences = (found for row in rows for found in _differences(file, row))
    return [*file.problems, *_strange_keys(file), *differences]


def _strange_keys(file: TomlFile) -> Iterator[Problem]:
    for key in file.data:
        if key not in ROWS:
            yield Problem(file.place(key), f"there is no row '{key}'", f"use {', '.join(ROWS)}")


def _differences(file: TomlFile, row: Row) -> Iterator[Problem]:
    said = file.data.get(row.id, "")
    place = file.place(row.id)
    if said == "":
        yield Problem(place, f"{row.id} is blank", f"write one of {', '.join(_LEVELS)}")
    elif said not in _LEVELS:
        yield Problem(place, f"{row.id} is {said!r:.40}", f"write one of {', '.join(_LEVELS)}")
    elif not _agrees(str(said), row):
        reached = row.level if row.level == row.at_most else f"{row.level} to {row.at_most}"
        todo = next((reason for reason in row.reasons[1:]), "see the row's reasons")
        yield Problem(place, f"{row.id}: you say {said}, the evidence says {reached}", todo)


def _agrees(said: str, row: Row) -> bool:
    """Whether a level is the row's, or one that evidence which is still open leaves possible."""
    place = _LEVELS.index
    return place(row.level) <= place(said) <= place(row.at_most)
