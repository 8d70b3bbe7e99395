"""The lines of `grade list`: the units, and how far the own work has come."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from grader.course.unit import Unit


def unit_lines(units: Sequence[Unit], done: frozenset[str], width: int) -> list[str]:
    """Return two lines a unit: what it is, and its hours, progress and rows.

    Args:
        units: The units, in order.
        done: Ids of the tasks that are done.
        width: Columns of the terminal.
    """
    margin = max((len(unit.id) for unit in units), default=0) + 2
    lines = []
    for unit in units:
        count = sum(task.id in done for task in unit.tasks)
        rows = ", ".join(row.replace("_", " ") for row in unit.rows)
        progress = f"{count} of {len(unit.tasks)} tasks done"
        lines += _hanging(f"{unit.id:<{margin}}", unit.title, margin, width)
        lines += _hanging(" " * margin, f"{unit.hours:g} h   {progress}   {rows}", margin, width)
    return lines


def _hanging(lead: str, text: str, margin: int, width: int) -> list[str]:
    return textwrap.wrap(
        text,
        width=max(width, margin + 20),
        initial_indent=lead,
        subsequent_indent=" " * margin,
        drop_whitespace=True,
    )
