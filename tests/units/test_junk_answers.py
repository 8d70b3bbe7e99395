"""Whatever a stage answers, a check ends with a word to the student, not with a crash.

The solution's answers keep their shape, and every number and text in them is replaced.
"""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

import pytest

from grader.checks.evidence import Status
from grader.checks.session import run_checks
from grader.course.unit import Unit
from grader.submission.folder import read_submission
from tests.units.conftest import BenchOf
from tests.units.course import CONTENT, UNITS

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


@pytest.mark.parametrize("junk", ["'forward'", "[[]]", "None", "-1"])
@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_junk_in_an_answer_is_the_students_problem_alone(
    unit: Unit, junk: str, bench_of: BenchOf, tmp_path: Path
) -> None:
    work = tmp_path / unit.folder
    shutil.copytree(CONTENT.solutions / unit.folder, work, ignore=shutil.ignore_patterns("faults"))
    for stage in ("numpy", "torch"):
        source = CONTENT.solutions / unit.folder / f"{stage}_stage.py"
        if not source.is_file():
            continue
        names = [task.function for task in unit.stage_tasks(stage)]
        with (work / source.name).open("a", encoding="utf-8") as file:
            file.write(SPOIL.format(junk=junk, names=names))
    run = run_checks(bench_of(unit), read_submission(work, unit), CONTENT.solutions, "junk")
    crashed = {e.check: e.message for e in run.evidence if e.status is Status.FAULT}
    assert crashed == {}
    answering = [e for e in run.evidence if e.task in _answering(unit)]
    met = [e.check for e in answering if e.status is Status.MET]
    # those are met that look at traces and refusals alone
    assert len(met) < len(answering) / 4, met


def _answering(unit: Unit) -> set[str]:
    """Return the tasks whose function returns something; the others only do something."""
    returning = set()
    for stage in ("numpy", "torch"):
        source = CONTENT.solutions / unit.folder / f"{stage}_stage.py"
        if not source.is_file():
            continue
        for node in ast.parse(source.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                returns = [one for one in ast.walk(node) if isinstance(one, ast.Return)]
                returning |= {node.name} if any(one.value for one in returns) else set()
    return {task.id for task in unit.tasks if task.function in returning}
