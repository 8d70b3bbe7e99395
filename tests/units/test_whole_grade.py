"""The command line on whole units: the solution is strong, the stubs are not attempted."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from grader.course.unit import Unit
from tests.units.course import CONTENT, UNITS

pytestmark = pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)


def grade(unit: Unit, submission: Path, cwd: Path) -> tuple[int, dict[str, Any]]:
    command = [sys.executable, "-m", "grader", "unit", unit.id, "--json"]
    run = subprocess.run(
        [*command, "--submission", str(submission)],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    return run.returncode, json.loads(run.stdout)


def test_the_solution_is_strong_on_every_row_that_the_unit_feeds(
    unit: Unit, tmp_path: Path
) -> None:
    status, report = grade(unit, CONTENT.solutions, tmp_path)
    assert {row["id"]: row["level"] for row in report["rows"]} == dict.fromkeys(unit.rows, "strong")
    assert {check["status"] for check in report["checks"]} <= {"met", "skipped"}
    assert report["predictions"]["seal"]["word"] == "sealed"
    assert report["next"] is None
    assert status == 0


def test_every_task_of_the_untouched_stubs_is_not_attempted(unit: Unit, tmp_path: Path) -> None:
    status, report = grade(unit, CONTENT.exercises, tmp_path)
    assert {check["task"] for check in report["checks"]} >= {task.id for task in unit.tasks}
    assert {check["status"] for check in report["checks"]} <= {"not attempted", "skipped"}
    assert {row["level"] for row in report["rows"]} == {"none"}
    assert status == 1
