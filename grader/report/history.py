"""What earlier grades left in a folder of reports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from grader.errors import Problem

_AGAINST = frozenset({"not met", "not attempted", "stopped"})


def read_reports(folder: Path) -> tuple[list[dict[str, Any]], list[Problem]]:
    """Return the reports in a folder, oldest first, and what is wrong with files that are none."""
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
    return sorted(reports, key=lambda report: str(report["started"])), problems


def tasks_done(reports: list[dict[str, Any]]) -> frozenset[str]:
    """Return the ids of the tasks whose checks the latest report finds met.

    Evidence that says nothing, for or against, does not undo a task; on its own it does not make
    one either.

    Args:
        reports: Reports, oldest first.
    """
    latest: dict[str, list[str]] = {}
    for report in reports:
        statuses: dict[str, list[str]] = {}
        for check in report["checks"]:
            statuses.setdefault(check["task"], []).append(check["status"])
        latest |= statuses
    return frozenset(
        task
        for task, statuses in latest.items()
        if "met" in statuses and not _AGAINST.intersection(statuses)
    )
