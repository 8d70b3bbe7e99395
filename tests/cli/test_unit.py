from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader import grading
from grader.checks.evidence import Evidence, Status
from grader.course.content import Content
from grader.errors import Problem
from grader.grading import GradeRequest, Listener, Outcome
from grader.report.model import build_report
from tests.cli.conftest import Grade
from tests.report.conftest import circumstances


class Script:
    """Stands in for a grade: says what a test told it to say, and keeps what it was asked."""

    def __init__(self) -> None:
        self.request: GradeRequest | None = None
        self.evidence: list[Evidence] = []
        self.problems: list[Problem] = []
        self.interrupted = False
        self.status = 0
        self.finished = False
        self.at_start: Callable[[], None] = lambda: None

    def grade(self, request: GradeRequest, content: Content, listener: Listener) -> Outcome:
        self.request = request
        self.at_start()
        listener.problems(self.problems)
        listener.started(request.unit, "7f3a", {"torch": "2.13"}, "confined (level 2)")
        listener.note("measuring")
        for found in self.evidence:
            listener.evidence(found)
        now = circumstances(interrupted=self.interrupted)
        report = build_report(request.unit, now, evidence=self.evidence, problems=self.problems)
        path = request.state / "reports" / "9.1.json"
        self.finished = True
        return Outcome(report, path, (), (), self.status, self.interrupted)


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Script:
    made = Script()
    monkeypatch.setattr(grading, "grade", made.grade)
    return made


def found(status: Status = Status.MET, **more: Any) -> Evidence:
    return Evidence("9.1.a/doubles", "9.1.a", "Twice is twice.", "timing", "pass", status, **more)


def test_the_header_stands_before_the_grade_begins(
    grade: Grade, work: Path, script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[str] = []
    script.at_start = lambda: seen.append(capsys.readouterr().out)
    grade("unit", "9.1")
    assert seen == ["9.1  A toy unit\n"]


def test_checks_are_shown_and_the_report_named(grade: Grade, work: Path, script: Script) -> None:
    script.evidence = [found(), found(Status.NOT_MET, message="It is not.")]
    script.status = 1
    ran = grade("unit", "9.1")
    assert ran.status == 1
    assert "met            9.1.a  Twice is twice." in ran.out
    assert "It is not." in ran.out
    assert "report: .grade/reports/9.1.json" in ran.out
    assert ran.err == ""


def test_json_is_alone_on_stdout(grade: Grade, work: Path, script: Script) -> None:
    script.evidence = [found(Status.NOT_MET, output="\x1b[2J")]
    script.problems = [Problem("numpy_stage.py:3", "is odd")]
    ran = grade("unit", "9.1", "--json")
    assert json.loads(ran.out)["checks"][0]["status"] == "not met"
    assert ran.err == "problem: numpy_stage.py:3: is odd\n"


def test_problems_are_one_safe_line_each(grade: Grade, work: Path, script: Script) -> None:
    script.problems = [Problem("a\nb\x1b[2J.py", "odd"), Problem("c.py", "even", "mend it")]
    assert grade("unit", "9.1").err == "problem: a b.py: odd\nproblem: c.py: even; mend it\n"


def test_wishes_reach_the_grade(grade: Grade, work: Path, script: Script) -> None:
    grade("unit", "9.1", "--task", "a", "--seed", "7f3a", "--level", "1", "--unconfined")
    request = script.request
    assert request is not None
    assert (request.task, request.seed, request.level) == ("a", "7f3a", 1)
    assert request.unconfined
    assert request.own


@pytest.mark.parametrize("folder", [".", "u91_toy"])
def test_own_work_keeps_its_reports_beside_it(
    grade: Grade, work: Path, script: Script, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    monkeypatch.chdir(work / folder)
    grade("unit", "9.1")
    assert script.request is not None
    assert (script.request.submission, script.request.state) == (work, work / ".grade")


def test_the_work_of_others_keeps_them_here_under_a_name_of_its_own(
    grade: Grade, work: Path, tmp_path: Path, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    states = set()
    monkeypatch.chdir(tmp_path)
    for name in ("x/kim", "y/kim", "x/../x/kim"):
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
        grade("unit", "9.1", "--submission", name)
        assert script.request is not None
        assert not script.request.own
        assert script.request.state.is_relative_to(tmp_path / ".grade" / "submissions")
        states.add(script.request.state)
    assert len(states) == 2


def test_an_interrupted_grade_keeps_its_report_and_ends_with_130(
    grade: Grade, work: Path, script: Script
) -> None:
    script.evidence, script.interrupted, script.status = [found()], True, 3
    ran = grade("unit", "9.1")
    assert ran.status == 130
    assert "interrupted: this report is partial" in ran.out


def test_more_hints_are_shown_on_demand(grade: Grade, work: Path, script: Script) -> None:
    script.evidence = [found(Status.NOT_MET)]
    assert "hint 2 of 3: Add it to itself." in grade("unit", "9.1", "--hints", "2").out


def test_progress_is_for_terminals(
    grade: Grade, work: Path, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    script.evidence = [found()]
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    shown = grade("unit", "9.1").err
    assert "measuring ..." in shown
    assert shown.endswith("\r\x1b[2K")


class Broken:
    """A stdout that takes one line and then fails."""

    encoding = "utf-8"

    def __init__(self, error: OSError) -> None:
        self.error = error
        self.lines = 0

    def write(self, text: str) -> int:
        self.lines += 1
        if self.lines > 1:
            raise self.error
        return len(text)

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return False


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (BrokenPipeError(32, "Broken pipe"), 1, ""),
        (OSError(28, "No space left on device"), 3, "error: the disk is full; free some space"),
    ],
)
def test_a_stdout_that_fails_does_not_end_the_grade(
    grade: Grade,
    work: Path,
    script: Script,
    monkeypatch: pytest.MonkeyPatch,
    *,
    error: OSError,
    status: int,
    said: str,
) -> None:
    script.evidence, script.status = [found(Status.NOT_MET)], 1
    monkeypatch.setattr(sys, "stdout", Broken(error))
    ran = grade("unit", "9.1")
    assert script.finished
    assert ran.status == status
    assert ran.err.startswith(said)
