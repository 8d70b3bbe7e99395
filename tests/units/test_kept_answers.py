"""Each kept wrong answer loses a check of its task; each unusual right one loses none."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.checks.evidence import Status
from grader.course.unit import Unit
from tests.units.conftest import BenchOf
from tests.units.course import LOST, graded, kept

WRONG, RIGHT = kept("wrong_answers"), kept("right_answers")


@pytest.mark.parametrize(("unit", "answer"), WRONG.values(), ids=WRONG)
def test_a_wrong_answer_loses_a_check(
    unit: Unit, answer: Path, bench_of: BenchOf, tmp_path: Path
) -> None:
    evidence = graded(unit, answer, bench_of(unit), tmp_path, until_lost=True)
    found = {e.check: (e.status, e.message) for e in evidence}
    assert any(status in LOST for status, _ in found.values()), found
    assert all(status is not Status.FAULT for status, _ in found.values()), found


@pytest.mark.parametrize(("unit", "answer"), RIGHT.values(), ids=RIGHT)
def test_an_unusual_right_answer_meets_every_check(
    unit: Unit, answer: Path, bench_of: BenchOf, tmp_path: Path
) -> None:
    evidence = graded(unit, answer, bench_of(unit), tmp_path)
    missed = {
        e.check: f"{e.message} {e.expected} {e.got}"
        for e in evidence
        if e.status not in (Status.MET, Status.SKIPPED)
    }
    assert missed == {}
