"""The content contract, for every unit there is: solution, stubs, and each known mistake."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from grader.checks.contract import (
    attempt_problems,
    fault_problems,
    run_on,
    solution_problems,
    static_problems,
    uncaught,
)
from grader.checks.subject import Bench
from grader.course.catalog import units
from grader.course.content import installed_content
from grader.course.faults import Fault, load_faults
from grader.course.unit import Unit
from grader.grading import open_sandbox

CONTENT = installed_content()
UNITS = {unit.id: unit for unit in units(CONTENT)}
FAULTS = {
    f"{unit.id}-{fault.id}": (unit, fault)
    for unit in UNITS.values()
    for fault in load_faults(unit, CONTENT.solutions)
}


@pytest.fixture(scope="module")
def benches() -> Iterator[dict[str, Bench]]:
    made: dict[str, Bench] = {}
    opened = []
    for unit in UNITS.values():
        sandbox = open_sandbox(unit, CONTENT)
        opened.append(sandbox)
        made[unit.id] = Bench(unit, sandbox)
    yield made
    for sandbox in opened:
        sandbox.close()


def said(problems: object) -> list[str]:
    return [str(problem) for problem in problems]  # type: ignore[attr-defined]


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_lesson_stubs_hints_and_sheets_agree(unit: Unit) -> None:
    assert said(static_problems(unit, CONTENT)) == []


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_the_solution_meets_every_check_and_each_check_catches_a_mistake(
    unit: Unit, benches: dict[str, Bench]
) -> None:
    run = run_on(benches[unit.id], CONTENT, CONTENT.solutions / unit.folder)
    assert said(solution_problems(run, unit)) == []
    assert said(uncaught(run, load_faults(unit, CONTENT.solutions))) == []


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_the_stubs_attempt_nothing(unit: Unit, benches: dict[str, Bench]) -> None:
    run = run_on(benches[unit.id], CONTENT, unit.path)
    assert said(attempt_problems(run)) == []


@pytest.mark.parametrize(("unit", "fault"), FAULTS.values(), ids=FAULTS)
def test_a_known_mistake_is_caught_by_its_check_alone_and_named(
    unit: Unit, fault: Fault, benches: dict[str, Bench]
) -> None:
    faults = load_faults(unit, CONTENT.solutions)
    assert said(fault_problems(fault, faults, unit, CONTENT, benches[unit.id])) == []
