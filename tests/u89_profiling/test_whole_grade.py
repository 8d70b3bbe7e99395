"""The command line on unit 8.9 as a whole: the solution is strong, the stubs are not attempted."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from grader.course.content import installed_content
from grader.course.unit import load_unit

CONTENT = installed_content()
UNIT = load_unit(CONTENT.exercises / "u89_profiling")


def grade(submission: Path, cwd: Path) -> tuple[int, dict[str, Any]]:
    command = [sys.executable, "-m", "grader", "unit", "8.9", "--json"]
    run = subprocess.run(
        [*command, "--submission", str(submission)],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    return run.returncode, json.loads(run.stdout)


def test_the_solution_is_strong_on_every_row_that_the_unit_feeds(tmp_path: Path) -> None:
    status, report = grade(CONTENT.solutions, tmp_path)
    assert {row["id"]: row["level"] for row in report["rows"]} == dict.fromkeys(UNIT.rows, "strong")
    assert {check["status"] for check in report["checks"]} == {"met"}
    assert report["predictions"]["seal"]["word"] == "sealed"
    assert report["next"] is None
    assert status == 0


def test_every_task_of_the_untouched_stubs_is_not_attempted(tmp_path: Path) -> None:
    status, report = grade(CONTENT.exercises, tmp_path)
    assert {check["task"] for check in report["checks"]} >= {task.id for task in UNIT.tasks}
    assert {check["status"] for check in report["checks"]} == {"not attempted"}
    assert {row["level"] for row in report["rows"]} == {"none"}
    assert status == 1
