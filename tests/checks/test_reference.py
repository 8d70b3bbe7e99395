"""The reference repeats an answer for the same questions, and only then."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from grader.checks.reference import Reference
from grader.checks.subject import Bench

STAGE = """
import os

PROCESS = os.urandom(8).hex()
STATE = []


def remembered(x):
    STATE.append(x)
    return {"state": list(STATE), "process": PROCESS}


def halves(x):
    return x / 2


def left():
    return sorted(os.listdir())


def leave(name):
    open(name, "w").close()
"""


@pytest.fixture
def stages(tmp_path: Path) -> Path:
    (tmp_path / "numpy_stage.py").write_text(STAGE)
    return tmp_path


def test_the_same_questions_are_answered_without_a_worker(bench: Bench, stages: Path) -> None:
    seen = []
    for _ in range(2):
        with Reference(bench, stages, "numpy") as reference:
            seen.append([reference.numpy.remembered(x) for x in (1, 2)])
    assert seen[0] == seen[1]
    assert seen[0][1]["state"] == [1, 2]


def test_a_new_question_comes_after_all_that_was_asked_before(bench: Bench, stages: Path) -> None:
    with Reference(bench, stages, "numpy") as reference:
        first = reference.numpy.remembered(1)
    with Reference(bench, stages, "numpy") as reference:
        assert reference.numpy.remembered(1) == first
        second = reference.numpy.remembered(3)
    assert second["state"] == [1, 3]
    assert second["process"] != first["process"]


def test_another_solution_is_asked_itself(bench: Bench, stages: Path) -> None:
    with Reference(bench, stages, "numpy") as reference:
        reference.numpy.halves(6)
    (stages / "numpy_stage.py").write_text(STAGE.replace("x / 2", "x / 3"))
    with Reference(bench, stages, "numpy") as reference:
        assert reference.numpy.halves(6) == 2


def test_what_a_check_does_to_an_answer_stays_with_that_check(bench: Bench, stages: Path) -> None:
    for _ in range(2):
        with Reference(bench, stages, "numpy") as reference:
            answer = reference.numpy.halves(np.ones(3))
            assert answer.tolist() == [0.5] * 3
            answer[:] = 7


def test_files_are_there_for_whoever_looks(bench: Bench, stages: Path) -> None:
    for _ in range(2):
        with Reference(bench, stages, "numpy") as reference:
            reference.numpy.leave("mark")
            assert reference.fresh().numpy.left() == ["mark"]
        with Reference(bench, stages, "numpy") as reference:
            reference.numpy.leave("mark")
            assert [path.name for path in Path(reference.scratch).iterdir()] == ["mark"]
