"""The rubric: five rows with what passes and what is strong, read from `rubric.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.course.unit import ROWS
from grader.errors import CourseError, Problem

RUBRIC_FILE = "rubric.toml"

_TEXTS = ("id", "title", "pass", "strong")


@dataclass(frozen=True, slots=True)
class Criteria:
    """One row of the rubric.

    Attributes:
        id: For example ``timing``.
        title: Its title for people.
        passes: What holds when the row is passed.
        strong: What holds in addition when it is strong.
        weight: Its share of a mark among the rows that a unit feeds [1].
    """

    id: str
    title: str
    passes: str
    strong: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Rubric:
    """The rows of the rubric in their order."""

    rows: tuple[Criteria, ...]

    def row(self, row_id: str) -> Criteria:
        """Return one row.

        Raises:
            CourseError: if there is none with this id.
        """
        for criteria in self.rows:
            if criteria.id == row_id:
                return criteria
        known = ", ".join(criteria.id for criteria in self.rows)
        raise CourseError(Problem("", f"the rubric has no row '{row_id}'", f"use {known}"))


def read_rubric(folder: Path) -> Rubric:
    """Read `folder`/rubric.toml.

    Raises:
        CourseError: with every problem of the file.
    """
    path = folder / RUBRIC_FILE
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CourseError(Problem(str(path), f"cannot be read: {error}")) from error
    tables = data.get("row", [])
    problems = [
        Problem(str(path), f"row {number}: {fault}")
        for number, table in enumerate(tables, 1)
        for fault in _faults(table)
    ]
    ids = [str(table.get("id")) for table in tables]
    if sorted(ids) != sorted(ROWS):
        seen = f"the rows are {', '.join(ids) or 'none'}"
        problems.append(Problem(str(path), seen, f"give each of {', '.join(ROWS)} once"))
    if problems:
        raise CourseError(problems)
    return Rubric(
        tuple(
            Criteria(row["id"], row["title"], row["pass"], row["strong"], float(row["weight"]))
            for row in tables
        )
    )


def _faults(table: dict[str, Any]) -> list[str]:
    faults = [
        f"`{key}` is missing"
        for key in _TEXTS
        if not isinstance(table.get(key), str) or not table[key].strip()
    ]
    weight = table.get("weight")
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not weight > 0:
        faults.append("`weight` is not a positive number")
    return faults
