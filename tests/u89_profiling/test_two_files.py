"""A solution whose functions live in a second file beside the stage meets the same checks."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from grader.checks.evidence import Status
from grader.checks.session import run_checks
from grader.checks.subject import Bench
from grader.course.unit import stage_file
from grader.grading import open_sandbox
from grader.submission.folder import read_submission
from tests.units.course import CONTENT, UNITS

UNIT = UNITS["8.9"]
WHOLE = Path(__file__).parent / "other_solutions" / "plain_python"


@pytest.mark.parametrize("stage", ["numpy", "torch"])
def test_a_solution_in_two_files_meets_every_check(stage: str, tmp_path: Path) -> None:
    work = tmp_path / UNIT.folder
    shutil.copytree(WHOLE, work)
    tasks = UNIT.stage_tasks(stage)
    (work / stage_file(stage)).rename(work / f"{stage}_parts.py")
    names = ", ".join(task.function for task in tasks)
    (work / stage_file(stage)).write_text(f"from {stage}_parts import {names}\n")
    with open_sandbox(UNIT, CONTENT) as sandbox:
        run = run_checks(
            Bench(UNIT, sandbox),
            read_submission(work, UNIT),
            CONTENT.solutions,
            "two files",
            tasks=frozenset(task.id for task in tasks),
        )
    refused = {e.check: e.message for e in run.evidence if e.status is not Status.MET}
    assert refused == {}
    assert {e.task for e in run.evidence} == {task.id for task in tasks}
