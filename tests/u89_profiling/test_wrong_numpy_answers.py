"""Each slip in the NumPy tasks of unit 8.9 misses a check; each unusual right answer misses none.

A file in `wrong_answers/` or `right_answers/` starts with the letter of its task and is appended to
the solution. Its docstring says what is wrong, or what is unusual, about it.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.checks.evidence import Evidence, Status
from grader.checks.session import run_checks
from grader.checks.subject import Bench
from grader.course.content import installed_content
from grader.course.unit import load_unit
from grader.grading import open_sandbox
from grader.submission.folder import read_submission

HERE = Path(__file__).parent
CONTENT = installed_content()
UNIT = load_unit(CONTENT.exercises / "u89_profiling")
WRONG = sorted(path.stem for path in HERE.glob("wrong_answers/[a-i]_*.py"))
RIGHT = sorted(path.stem for path in HERE.glob("right_answers/[a-i]_*.py"))


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    sandbox = open_sandbox(UNIT, CONTENT)
    with sandbox:
        yield Bench(UNIT, sandbox)


def graded(answer: Path, bench: Bench, folder: Path) -> tuple[Evidence, ...]:
    """Return the evidence on the one task that an answer is about."""
    work = folder / UNIT.folder
    shutil.copytree(CONTENT.solutions / UNIT.folder, work)
    with (work / "numpy_stage.py").open("a", encoding="utf-8") as file:
        file.write("\n\n" + answer.read_text(encoding="utf-8"))
    task = f"{UNIT.id}.{answer.stem[0]}"
    run = run_checks(
        bench, read_submission(work, UNIT), CONTENT.solutions, "slips", tasks=frozenset({task})
    )
    assert not run.broken
    assert run.evidence
    return run.evidence


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_answer_misses_a_check(name: str, bench: Bench, tmp_path: Path) -> None:
    found = graded(HERE / "wrong_answers" / f"{name}.py", bench, tmp_path)
    assert any(evidence.status is Status.NOT_MET for evidence in found)


@pytest.mark.parametrize("name", RIGHT)
def test_an_unusual_right_answer_meets_every_check(name: str, bench: Bench, tmp_path: Path) -> None:
    found = graded(HERE / "right_answers" / f"{name}.py", bench, tmp_path)
    missed = {
        e.check: f"{e.message} {e.expected} {e.got}" for e in found if e.status is not Status.MET
    }
    assert missed == {}
