"""Plausible wrong answers to the torch tasks of unit 8.9 lose a check; right ones lose none.

Each file of `wrong_answers` and `right_answers` is appended to the solution, as a known mistake is.
The letter in front of its name is the task's; only that task is graded.
"""

from __future__ import annotations

import ast
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
LETTERS = {task.id[-1] for task in UNIT.stage_tasks("torch")}


def _answers(folder: str) -> dict[str, Path]:
    files = sorted((HERE / folder).glob("*.py"))
    return {path.stem: path for path in files if path.stem[0] in LETTERS}


WRONG, RIGHT = _answers("wrong_answers"), _answers("right_answers")


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with open_sandbox(UNIT, CONTENT) as sandbox:
        yield Bench(UNIT, sandbox)


def _graded(path: Path, bench: Bench, folder: Path) -> tuple[Evidence, ...]:
    work = folder / UNIT.folder
    work.mkdir()
    solution = CONTENT.solutions / UNIT.folder
    shutil.copy(solution / "numpy_stage.py", work)
    text = path.read_text(encoding="utf-8")
    # the docstring says what is wrong; it must not be the stage's
    body = "\n".join(text.splitlines()[ast.parse(text).body[0].end_lineno :])
    stage = (solution / "torch_stage.py").read_text(encoding="utf-8")
    (work / "torch_stage.py").write_text(f"{stage}\n\n{body}\n", encoding="utf-8")
    task = frozenset({f"{UNIT.id}.{path.stem[0]}"})
    run = run_checks(bench, read_submission(work, UNIT), CONTENT.solutions, path.stem, tasks=task)
    assert run.evidence
    assert not run.broken
    return run.evidence


@pytest.mark.parametrize("path", WRONG.values(), ids=WRONG)
def test_a_wrong_answer_loses_a_check(path: Path, bench: Bench, tmp_path: Path) -> None:
    found = {e.check: (e.status, e.message) for e in _graded(path, bench, tmp_path)}
    lost = {Status.NOT_MET, Status.STOPPED, Status.VOID}
    assert any(status in lost for status, _ in found.values()), found
    assert all(status is not Status.FAULT for status, _ in found.values()), found


@pytest.mark.parametrize("path", RIGHT.values(), ids=RIGHT)
def test_a_right_answer_meets_every_check(path: Path, bench: Bench, tmp_path: Path) -> None:
    evidence = _graded(path, bench, tmp_path)
    assert {e.check: e.message for e in evidence if e.status is not Status.MET} == {}
