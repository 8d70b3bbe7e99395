"""Each kept wrong answer loses a check of its task; each unusual right one loses none."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from grader.checks.evidence import Evidence, Status
from grader.course.unit import Unit
from tests.units.conftest import BenchOf
from tests.units.course import LOST, graded, kept

WRONG, RIGHT = kept("wrong_answers"), kept("right_answers")
CAUGHT = tomllib.loads((Path(__file__).parent / "caught.toml").read_text(encoding="utf-8"))
"""The check that each wrong answer lost when it was kept, to be tried first: it saves time alone.

Where it no longer does, or none is named, all checks of the task are tried.
"""


@pytest.mark.parametrize(("unit", "answer"), WRONG.values(), ids=WRONG)
def test_a_wrong_answer_loses_a_check(
    unit: Unit, answer: Path, bench_of: BenchOf, tmp_path: Path
) -> None:
    bench, caught = bench_of(unit), CAUGHT.get(unit.id, {}).get(answer.stem)
    evidence: tuple[Evidence, ...] = ()
    if caught:
        evidence = graded(unit, answer, bench, tmp_path / "one", only=caught)
    if not any(found.status in LOST for found in evidence):
        evidence = graded(unit, answer, bench, tmp_path / "all", until_lost=True)
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
