"""Whole units, graded: the solution is strong, the stubs are not attempted."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.checks.contract import solution_problems, uncaught
from grader.checks.session import CheckRun
from grader.course.faults import load_faults
from grader.course.unit import Unit
from grader.grading import GradeRequest, Outcome, grade
from tests.units.conftest import BenchOf
from tests.units.course import CONTENT, UNITS, Silent

pytestmark = pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)


NO_DEVICE = "This machine has no CUDA device."


def graded_whole(unit: Unit, submission: Path, state: Path, bench_of: BenchOf) -> Outcome:
    request = GradeRequest(unit, submission, state, own=False, seed="whole")
    return grade(request, CONTENT, Silent(), bench_of(unit).sandbox)


def odd(outcome: Outcome, *expected: str) -> dict[str, str]:
    return {
        found.check: f"{found.status}: {found.message} {found.expected} {found.got}"
        for found in outcome.evidence
        if found.status not in expected
    }


def test_the_solution_is_strong_on_every_row_that_the_unit_feeds(
    unit: Unit, bench_of: BenchOf, tmp_path: Path
) -> None:
    outcome = graded_whole(unit, CONTENT.solutions, tmp_path, bench_of)
    assert odd(outcome, "met", "skipped") == {}
    of_tasks = tuple(e for e in outcome.evidence if e.task in {task.id for task in unit.tasks})
    run = CheckRun(of_tasks, interrupted=False, broken=())
    assert [str(problem) for problem in solution_problems(run, unit)] == []
    assert [str(one) for one in uncaught(run, load_faults(unit, CONTENT.solutions))] == []
    assert {row.id: row.level for row in outcome.rows} == dict.fromkeys(unit.rows, "strong")
    assert outcome.report["predictions"]["seal"]["word"] == "sealed"  # type: ignore[index]
    assert outcome.report["next"] is None
    assert outcome.status == 0


def test_every_task_of_the_untouched_stubs_is_not_attempted(
    unit: Unit, bench_of: BenchOf, tmp_path: Path
) -> None:
    outcome = graded_whole(unit, CONTENT.exercises, tmp_path, bench_of)
    assert {found.task for found in outcome.evidence} >= {task.id for task in unit.tasks}
    assert odd(outcome, "not attempted", "skipped") == {}
    said = {e.message for e in outcome.evidence if e.task in {task.id for task in unit.tasks}}
    assert {text for text in said if not text.startswith(f"{unit.id}.")} <= {NO_DEVICE}
    assert {row.level for row in outcome.rows} == {"none"}
    assert outcome.status == 1
