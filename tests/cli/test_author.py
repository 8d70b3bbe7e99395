from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.checks import contract
from grader.checks.subject import Bench
from grader.course.content import Content
from grader.course.unit import Unit
from grader.errors import CourseError, Problem
from tests.cli.conftest import Grade


@pytest.fixture
def stub(course: tuple[Content, Unit]) -> Iterator[Path]:
    """The NumPy stub of the toy unit, put back afterwards."""
    path = course[0].exercises / "u91_toy" / "numpy_stage.py"
    text = path.read_text()
    yield path
    path.write_text(text)


@pytest.mark.parametrize("arguments", [["9.1"], []])
def test_stubs_that_are_up_to_date_are_left_alone(
    grade: Grade, stub: Path, arguments: list[str]
) -> None:
    before = stub.stat().st_mtime_ns
    ran = grade("author", "stubs", *arguments)
    assert (ran.status, ran.out) == (0, "9.1  stubs are up to date\n")
    assert stub.stat().st_mtime_ns == before


def test_a_stale_stub_is_named_and_not_touched_by_a_check(grade: Grade, stub: Path) -> None:
    stub.write_text("stale")
    ran = grade("author", "stubs", "--check")
    assert ran.status == 1
    assert f"{stub}: is out of date; run `grade author stubs 9.1`" in ran.err
    assert stub.read_text() == "stale"


def test_a_stale_stub_is_written_anew(grade: Grade, stub: Path) -> None:
    text = stub.read_text()
    stub.write_text("stale")
    ran = grade("author", "stubs", "9.1")
    assert ran.status == 0
    assert f"wrote {stub}" in ran.out
    assert stub.read_text() == text


def contract_that(result: tuple[Problem, ...]) -> Callable[..., tuple[Problem, ...]]:
    def check(unit: Unit, content: Content, bench: Bench, note: Callable[[str], None]) -> object:
        note("trying")
        return result

    return check  # type: ignore[return-value]


def test_a_sound_unit_keeps_the_contract(
    grade: Grade, course: tuple[Content, Unit], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contract, "check_unit", contract_that(()))
    ran = grade("author", "check", "9.1")
    assert (ran.status, ran.out, ran.err) == (0, "9.1  keeps the contract\n", "")


def test_every_breach_is_a_line(
    grade: Grade, course: tuple[Content, Unit], monkeypatch: pytest.MonkeyPatch
) -> None:
    breaches = (Problem("9.1.a", "has no hint"), Problem("9.1.b", "is too easy", "think"))
    monkeypatch.setattr(contract, "check_unit", contract_that(breaches))
    ran = grade("author", "check")
    assert (ran.status, ran.out) == (1, "")
    assert ran.err == "9.1  9.1.a: has no hint\n9.1  9.1.b: is too easy; think\n"


def test_a_unit_that_cannot_be_read_is_a_breach(
    grade: Grade, course: tuple[Content, Unit], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise CourseError(Problem("x.py:3", "a region inside a region"))

    monkeypatch.setattr(contract, "check_unit", fail)
    ran = grade("author", "check")
    assert ran.status == 1
    assert "x.py:3: a region inside a region" in ran.err
