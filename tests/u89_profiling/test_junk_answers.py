"""Whatever a stage answers, a check of unit 8.9 ends with a word to the student, not with a crash.

The solution's answers keep their shape, and every number and text in them is replaced.
"""

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

CONTENT = installed_content()
UNIT = load_unit(CONTENT.exercises / "u89_profiling")
SPOIL = """

def _spoiled(answer):
    if isinstance(answer, dict):
        return {{key: _spoiled(value) for key, value in answer.items()}}
    if isinstance(answer, (list, tuple)):
        return [_spoiled(value) for value in answer]
    return {junk}


def _spoiling(function):
    return lambda *args, **kwargs: _spoiled(function(*args, **kwargs))


for _name in {names}:
    globals()[_name] = _spoiling(globals()[_name])
"""


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    sandbox = open_sandbox(UNIT, CONTENT)
    with sandbox:
        yield Bench(UNIT, sandbox)


@pytest.mark.parametrize("junk", ["'forward'", "[[]]"])
def test_junk_in_an_answer_is_the_students_problem_alone(
    junk: str, bench: Bench, tmp_path: Path
) -> None:
    work = tmp_path / UNIT.folder
    work.mkdir()
    for stage in ("numpy", "torch"):
        source = CONTENT.solutions / UNIT.folder / f"{stage}_stage.py"
        shutil.copy(source, work)
        names = [task.function for task in UNIT.stage_tasks(stage)]
        with (work / source.name).open("a", encoding="utf-8") as file:
            file.write(SPOIL.format(junk=junk, names=names))
    run = run_checks(bench, read_submission(work, UNIT), CONTENT.solutions, "junk")
    crashed = {e.check: e.message for e in run.evidence if e.status is Status.FAULT}
    assert crashed == {}
    met = [e.check for e in run.evidence if e.status is Status.MET]
    assert len(met) < len(run.evidence) / 4, met  # those that look at traces and refusals alone
