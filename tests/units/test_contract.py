"""The content contract, for every unit there is: files, sheet, and each known mistake.

What it asks of the solution and of the stubs is seen where they are graded whole. Each known
mistake is held against its own check; every third, and with GRADE_CONTRACT=all every one, against
the others of its tasks as well, of which it must lose none.
"""

from __future__ import annotations

import os

import pytest

from grader.checks.contract import (
    fault_problems,
    measured_problems,
    static_problems,
)
from grader.course.faults import Fault, load_faults
from grader.course.unit import Unit
from tests.units.conftest import BenchOf
from tests.units.course import CONTENT, UNITS

WHOLE = 1 if os.environ.get("GRADE_CONTRACT") == "all" else 3
FAULTS = {
    f"{unit.id}-{fault.id}": (unit, fault, number % WHOLE != 0)
    for unit in UNITS.values()
    for number, fault in enumerate(load_faults(unit, CONTENT.solutions))
}


def said(problems: object) -> list[str]:
    return [str(problem) for problem in problems]  # type: ignore[attr-defined]


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_lesson_stubs_hints_and_sheets_agree(unit: Unit) -> None:
    assert said(static_problems(unit, CONTENT)) == []


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_what_is_measured_for_the_sheet_tells_causes_apart(unit: Unit, bench_of: BenchOf) -> None:
    assert said(measured_problems(bench_of(unit))) == []


@pytest.mark.parametrize(("unit", "fault", "alone"), FAULTS.values(), ids=FAULTS)
def test_a_known_mistake_is_caught_by_its_check_alone_and_named(
    unit: Unit, fault: Fault, alone: bool, bench_of: BenchOf
) -> None:
    faults = load_faults(unit, CONTENT.solutions)
    assert said(fault_problems(fault, faults, unit, CONTENT, bench_of(unit), alone=alone)) == []
