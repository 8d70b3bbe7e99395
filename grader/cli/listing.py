"""`grade list`: the units, and how far the own work has come."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grader.course.unit import Unit
from grader.errors import Problem

_AGAINST = frozenset({"not met", "not attempted", "stopped"})


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


def tasks_done(reports: Path) -> tuple[frozenset[str], list[Problem]]:
    """Return the ids of the tasks whose checks the latest report finds met, and unusable reports.

    Evidence that says nothing, for or against, does not undo a task; on its own it does not make
    one either.
    """
    latest: dict[str, list[str]] = {}
    found, problems = _read(reports)
    for report in sorted(found, key=lambda report: str(report["started"])):
        statuses: dict[str, list[str]] = {}
        for check in report["checks"]:
            statuses.setdefault(check["task"], []).append(check["status"])
        latest |= statuses
    done = {
        task
        for task, statuses in latest.items()
        if "met" in statuses and not _AGAINST.intersection(statuses)
    }
    return frozenset(done), problems


def _read(folder: Path) -> tuple[list[dict[str, Any]], list[Problem]]:
    reports, problems = [], []
    for path in sorted(folder.glob("*.json")):
        try:
            report = json.loads(path.read_text(encoding="utf-8"))
            _ = str(report["started"]), [(c["task"], c["status"]) for c in report["checks"]]
            reports.append(report)
        except OSError as error:
            problems.append(Problem(str(path), f"cannot be read: {error.strerror}"))
        except (ValueError, KeyError, TypeError, RecursionError):
            problems.append(Problem(str(path), "this is not a report", "grade the unit again"))
    return reports, problems


def _hanging(lead: str, text: str, margin: int, width: int) -> list[str]:
    return textwrap.wrap(
        text,
        width=max(width, margin + 20),
        initial_indent=lead,
        subsequent_indent=" " * margin,
        drop_whitespace=True,
    )
