"""Correct solutions that go other ways meet every check of their unit, as the reference does."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from grader.checks.evidence import Status
from grader.checks.session import run_checks
from grader.course.unit import Unit
from grader.submission.folder import read_submission
from tests.units.conftest import BenchOf
from tests.units.course import CONTENT, UNITS, kept

OTHERS = kept("other_solutions")
OF_TIME = frozenset({"mini-project.j/the_claim_is_what_is_measured"})
"""Checks of what a kept solution claims of time: a busy machine may leave them open."""


@pytest.mark.parametrize(("unit", "way"), OTHERS.values(), ids=OTHERS)
def test_another_correct_solution_meets_every_check(
    unit: Unit, way: Path, bench_of: BenchOf, tmp_path: Path
) -> None:
    work = tmp_path / unit.folder
    shutil.copytree(way, work)
    run = run_checks(bench_of(unit), read_submission(work, unit), CONTENT.solutions, "another way")
    refused = {
        found.check: found.message
        for found in run.evidence
        if found.status not in (Status.MET, Status.SKIPPED)
        and not (found.check in OF_TIME and found.status is Status.INCONCLUSIVE)
    }
    assert refused == {}
    assert {found.task for found in run.evidence} >= {task.id for task in unit.tasks}
    assert not run.broken


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_each_unit_keeps_two_solutions_that_go_other_ways(unit: Unit) -> None:
    assert len([found for found, _ in OTHERS.values() if found.id == unit.id]) >= 2
