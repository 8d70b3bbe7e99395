"""Every experiment of every self-test runs and prints what proves the answer of the key.

`tests/<unit's folder>/experiments.toml` says what each must print, white space made single. A
number of the key must be among the printed ones, within the tolerance of an answer. To be quick
they run in forks of this process, which has torch already; one of each unit runs as a student
runs it.
"""

from __future__ import annotations

import ast
import importlib
import os
import runpy
import signal
import sys
import tomllib
from pathlib import Path

import pytest
import torch

from grader.cli.experiment import run_experiment
from grader.course.experiments import EXPERIMENTS, experiment_of
from grader.course.unit import Unit
from grader.predictions.selftest import TOLERANCE, SelfTestQuestion, read_key
from grader.predictions.sentence import numbers
from tests.units.course import CONTENT, TESTS, UNITS

PATIENCE = 60
MOST_LINES, MOST_COLUMNS = 40, 100


@pytest.fixture(scope="module", autouse=True)
def _loaded_once() -> None:
    """Import for all forks what takes seconds."""
    for name in (
        "torch._dynamo",
        "torch.amp",
        "torch.profiler",
        "torch.utils.benchmark",
        "torch.utils.checkpoint",
        "torch.utils.flop_counter",
    ):
        importlib.import_module(name)


def keyed(unit: Unit) -> tuple[SelfTestQuestion, ...]:
    path = CONTENT.solutions / unit.folder / "selftest.toml"
    return read_key(path) if path.is_file() else ()


def proofs(unit: Unit) -> dict[str, list[str]]:
    path = TESTS / unit.folder / "experiments.toml"
    return tomllib.loads(path.read_text()) if path.is_file() else {}


QUESTIONS = {
    f"{unit.id}-{question.id}": (unit, question)
    for unit in UNITS.values()
    for question in keyed(unit)
    if experiment_of(unit, question.id)
}
WITH_EXPERIMENTS = [unit for unit in UNITS.values() if (unit.path / EXPERIMENTS).is_dir()]


def _run(path: Path, folder: Path) -> str:
    """Return what a script prints, run in a fork of this process."""
    torch.set_num_threads(1)
    target = folder / "printed"
    child = os.fork()
    if child == 0:
        status = 1
        try:
            handle = os.open(target, os.O_WRONLY | os.O_CREAT, 0o600)
            os.dup2(handle, 1)
            os.dup2(handle, 2)
            sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115  # the capture's is not ours
            sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
            os.chdir(folder)
            sys.path.insert(0, str(CONTENT.exercises))
            runpy.run_path(str(path), run_name="__main__")
            status = 0
        except BaseException as error:
            print(f"{type(error).__name__}: {error}")
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    try:
        _, code = os.waitpid(child, 0)
    except BaseException:
        os.kill(child, signal.SIGKILL)
        raise
    printed = target.read_text(errors="replace")
    assert code == 0, printed
    return printed


@pytest.mark.timeout(PATIENCE)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", QUESTIONS)
def test_an_experiment_prints_what_proves_the_answer(name: str, tmp_path: Path) -> None:
    unit, question = QUESTIONS[name]
    path = experiment_of(unit, question.id)
    assert path is not None
    printed = _run(path, tmp_path)
    said = " ".join(printed.split())
    wanted = proofs(unit)[question.id]
    assert wanted
    for words in wanted:
        assert words in said, printed
    if question.kind == "number":
        (answer,) = (float(value) for value in question.answers)
        near = TOLERANCE * abs(answer)
        readings = [value for ways in numbers(printed) for value in ways]
        assert any(abs(value - answer) <= near for value in readings), printed


@pytest.mark.parametrize("unit", WITH_EXPERIMENTS, ids=lambda unit: unit.id)
def test_every_question_has_one_and_none_is_left_over(unit: Unit) -> None:
    ids = sorted(question.id for question in keyed(unit))
    scripts = sorted(path.stem for path in (unit.path / EXPERIMENTS).glob("*.py"))
    assert scripts == ids == sorted(proofs(unit))


@pytest.mark.parametrize("name", QUESTIONS)
def test_an_experiment_is_short_says_what_it_does_and_does_not_hold_the_answer(name: str) -> None:
    unit, question = QUESTIONS[name]
    path = experiment_of(unit, question.id)
    assert path is not None
    text = path.read_text()
    assert len(text.splitlines()) <= MOST_LINES
    assert max(map(len, text.splitlines())) <= MOST_COLUMNS
    assert ast.get_docstring(ast.parse(text))
    for answer in question.answers:
        if isinstance(answer, str) and len(answer) > 25:
            assert answer.casefold() not in text.casefold()


@pytest.mark.parametrize("unit", WITH_EXPERIMENTS, ids=lambda unit: unit.id)
def test_the_first_runs_by_itself_as_a_student_runs_it(unit: Unit) -> None:
    first = keyed(unit)[0].id
    path = experiment_of(unit, first)
    assert path is not None
    said = " ".join(run_experiment(path, CONTENT).split())
    assert all(words in said for words in proofs(unit)[first])
