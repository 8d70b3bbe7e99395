"""Correct solutions that go other ways meet every check of unit 8.9, as the reference does."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.checks.evidence import Status
from grader.checks.session import run_checks
from grader.checks.subject import Bench
from grader.course.content import installed_content
from grader.course.unit import load_unit
from grader.grading import open_sandbox
from grader.submission.folder import read_submission

OTHERS = Path(__file__).parent / "other_solutions"
CONTENT = installed_content()
UNIT = load_unit(CONTENT.exercises / "u89_profiling")


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    sandbox = open_sandbox(UNIT, CONTENT)
    with sandbox:
        yield Bench(UNIT, sandbox)


@pytest.mark.parametrize("way", sorted(path.name for path in OTHERS.iterdir() if path.is_dir()))
def test_another_correct_solution_meets_every_check(way: str, bench: Bench, tmp_path: Path) -> None:
    work = tmp_path / UNIT.folder
    shutil.copytree(OTHERS / way, work)
    run = run_checks(bench, read_submission(work, UNIT), CONTENT.solutions, "another way")
    refused = {
        found.check: found.message for found in run.evidence if found.status is not Status.MET
    }
    assert refused == {}
    assert len(run.evidence) > 40
    assert not run.broken
