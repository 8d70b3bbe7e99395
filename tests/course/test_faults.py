from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader.course.faults import load_faults, tasks_touched, write_stages
from grader.course.unit import Task, Unit
from grader.errors import CourseError

FAULT = '''"""Adds instead of doubling.

check = "1.1.a/doubles"
stage = "numpy"
says = "This is what adding one gives."
"""


def twice(x):
    return x + 1
'''


@pytest.fixture
def unit(tmp_path: Path) -> Unit:
    path = tmp_path / "exercises" / "u11_toy"
    return Unit("1.1", "toy", 1, (), ("timing",), (), (), (), path)


@pytest.fixture
def solutions(tmp_path: Path) -> Path:
    folder = tmp_path / "solutions" / "u11_toy" / "faults"
    folder.mkdir(parents=True)
    (folder.parent / "numpy_stage.py").write_text("def twice(x):\n    return 2 * x\n")
    (folder / "adds_one.py").write_text(FAULT)
    return tmp_path / "solutions"


def test_a_fault_is_read_from_its_docstring(unit: Unit, solutions: Path) -> None:
    (fault,) = load_faults(unit, solutions)
    assert (fault.id, fault.title) == ("adds_one", "Adds instead of doubling.")
    assert fault.check == "1.1.a/doubles"
    assert fault.body.startswith("def twice")


def test_a_fault_overrides_the_solution_it_is_appended_to(
    unit: Unit, solutions: Path, tmp_path: Path
) -> None:
    (fault,) = load_faults(unit, solutions)
    write_stages(unit, solutions, tmp_path / "spoiled", fault)
    write_stages(unit, solutions, tmp_path / "solved")
    results = []
    for name in ("spoiled", "solved"):
        space: dict[str, object] = {}
        exec((tmp_path / name / "numpy_stage.py").read_text(), space)
        results.append(space["twice"](5))  # type: ignore[operator]
    assert results == [6, 10]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('check = "1.1.a/doubles"', ""),
        ('says = "This is what adding one gives."', ""),
        ("def twice(x):", "def twice(x:"),
        ('stage = "numpy"', "stage = numpy"),
    ],
)
def test_a_malformed_fault_is_named(unit: Unit, solutions: Path, old: str, new: str) -> None:
    (solutions / "u11_toy" / "faults" / "adds_one.py").write_text(FAULT.replace(old, new))
    with pytest.raises(CourseError, match="adds_one"):
        load_faults(unit, solutions)


SOLUTION = """
import math

LIMIT = 3


def twice(x):
    return _helper(x)


def _helper(x):
    return 2 * x


def half(x):
    return x / 2


def capped(x):
    return min(x, LIMIT)
"""


@pytest.mark.parametrize(
    ("body", "touched"),
    [
        ("def twice(x):\n    return x\n", {"1.1.a"}),
        ("def _helper(x):\n    return x\n", {"1.1.a"}),
        ("def half(x):\n    return x\n", {"1.1.b"}),
        ("LIMIT = 4\n", {"1.1.c"}),
        ("import cmath as math\n", set()),
        ("_old = half\n\n\ndef half(x):\n    return _old(x) + 1\n", {"1.1.b"}),
        ("print('at import')\n", {"1.1.a", "1.1.b", "1.1.c"}),
        ("half.__defaults__ = (1,)\n", {"1.1.a", "1.1.b", "1.1.c"}),
    ],
)
def test_a_fault_touches_the_tasks_that_reach_what_it_overrides(
    unit: Unit, solutions: Path, body: str, touched: set[str]
) -> None:
    folder = solutions / "u11_toy"
    (folder / "numpy_stage.py").write_text(SOLUTION)
    (folder / "faults" / "adds_one.py").write_text(FAULT.partition("\n\n\n")[0] + "\n\n\n" + body)
    names = {"a": "twice", "b": "half", "c": "capped"}
    tasks = tuple(
        Task(f"1.1.{letter}", "numpy", function, "", 5, "timing", ("", "", ""))
        for letter, function in names.items()
    )
    unit = replace(unit, tasks=tasks)
    (fault,) = load_faults(unit, solutions)
    assert tasks_touched(fault, unit, solutions) == touched
