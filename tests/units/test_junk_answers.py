"""Whatever a stage answers, a check ends with a word to the student, not with a crash.

The solution's answers have their numbers and texts replaced, then their lists and dicts bent, each
function's in another way. GRADE_JUNK=all gives each function's all the ways, one after another.
"""

from __future__ import annotations

import ast
import os
import shutil
from pathlib import Path

import pytest

from grader.checks.evidence import Status
from grader.checks.session import run_checks
from grader.course.unit import Unit, stage_file
from grader.submission.folder import read_submission
from tests.units.conftest import BenchOf
from tests.units.course import CONTENT, UNITS

SPOIL = """

def _deep(levels):
    return [_deep(levels - 1)] if levels else "x"


def _spoiling(function, leaf=lambda x: x, listed=list, mapped=dict, whole=lambda x: x):
    def spoiled(answer):
        if isinstance(answer, dict):
            return mapped({key: spoiled(value) for key, value in answer.items()})
        if isinstance(answer, (list, tuple)):
            return listed([spoiled(value) for value in answer])
        return leaf(answer)

    return lambda *args, **kwargs: whole(spoiled(function(*args, **kwargs)))

"""
LEAVES = {
    "a word": "leaf=lambda _: 'forward'",
    "empty lists": "leaf=lambda _: [[]]",
    "None": "leaf=lambda _: None",
    "a negative number": "leaf=lambda _: -1",
    "NaN": "leaf=lambda _: float('nan')",
    "infinity": "leaf=lambda _: float('inf')",
    "huge integer": "leaf=lambda _: 10**400",
    "huge negative integer": "leaf=lambda _: -(10**5000)",
    "true": "leaf=lambda _: True",
    "bytes": "leaf=lambda _: b'forward'",
    "wrong dict": "leaf=lambda _: {'x': 1, 2: 'y'}",
    "deep lists": "leaf=lambda _: _deep(40)",
    "text of any length": "leaf=lambda _: 'forward ' * 2000",
    "complex": "leaf=lambda _: 1j",
}
CONTAINERS = {
    "numbers as text": "leaf=str",
    "dicts with wrong keys": "mapped=lambda d: {f'{key}_': value for key, value in d.items()}",
    "dicts with numbers as keys": "mapped=lambda d: dict(enumerate(d.values()))",
    "dicts that lack a key": "mapped=lambda d: dict(list(d.items())[1:])",
    "dicts as pairs": "mapped=lambda d: list(d.items())",
    "dicts as text": "mapped=str",
    "lists as text": "listed=str",
    "lists with one entry more": "listed=lambda l: [*l, None]",
    "lists with one entry less": "listed=lambda l: l[:-1]",
    "lists as dicts": "listed=lambda l: dict(enumerate(l))",
    "lists in lists": "listed=lambda l: [l]",
    "the answer in a list": "whole=lambda answer: [answer]",
    "the answer thrice": "whole=lambda answer: {'a': answer, 'b': [answer, answer]}",
    "no answer": "whole=lambda answer: None",
}
FUNCTIONS = [task.id for unit in UNITS.values() for task in unit.tasks]
TURNS = 14 if os.environ.get("GRADE_JUNK") == "all" else 1


def _way(task: str, ways: dict[str, str], turn: int) -> str:
    """Return the way of one function's answers in a turn; the next function's is the next one."""
    return list(ways.values())[(FUNCTIONS.index(task) + turn) % len(ways)]


@pytest.mark.parametrize("turn", range(TURNS))
@pytest.mark.parametrize("ways", [LEAVES, CONTAINERS], ids=["leaves", "containers"])
@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_junk_in_an_answer_is_the_students_problem_alone(
    unit: Unit, ways: dict[str, str], turn: int, bench_of: BenchOf, tmp_path: Path
) -> None:
    work = tmp_path / unit.folder
    shutil.copytree(CONTENT.solutions / unit.folder, work, ignore=shutil.ignore_patterns("faults"))
    for stage in ("numpy", "torch"):
        if not (work / stage_file(stage)).is_file():
            continue
        with (work / stage_file(stage)).open("a", encoding="utf-8") as file:
            file.write(SPOIL)
            for task in unit.stage_tasks(stage):
                way = _way(task.id, ways, turn)
                file.write(f"{task.function} = _spoiling({task.function}, {way})\n")
    run = run_checks(bench_of(unit), read_submission(work, unit), CONTENT.solutions, "junk")
    assert {e.check: e.message for e in run.evidence if e.status is Status.FAULT} == {}
    assert not run.broken
    answering = [e for e in run.evidence if e.task in _answering(unit)]
    met = [e.check for e in answering if e.status is Status.MET]
    if ways is LEAVES:
        # those are met that look at traces and refusals alone
        assert len(met) < len(answering) / 4, met


def _answering(unit: Unit) -> set[str]:
    """Return the tasks whose function returns something; the others only do something."""
    returning = set()
    for stage in ("numpy", "torch"):
        source = CONTENT.solutions / unit.folder / stage_file(stage)
        if not source.is_file():
            continue
        for node in ast.parse(source.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                returns = [one for one in ast.walk(node) if isinstance(one, ast.Return)]
                returning |= {node.name} if any(one.value for one in returns) else set()
    return {task.id for task in unit.tasks if task.function in returning}
