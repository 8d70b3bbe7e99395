"""One grade from end to end: submission, checks, sheet, rows, report."""

from __future__ import annotations

import compileall
import dataclasses
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from grader.checks.draw import fresh_seed
from grader.checks.evidence import Evidence, Status
from grader.checks.session import run_checks
from grader.checks.subject import Bench
from grader.course.content import Content
from grader.course.faults import load_faults
from grader.course.unit import Unit
from grader.errors import Problem, SandboxError, UsageError
from grader.grading.selfgrade import SELFGRADE_FILE, selfgrade_problems
from grader.grading.sheet import SheetResult, grade_sheet
from grader.instruments.environment import machine, versions
from grader.report.model import Circumstances, build_report
from grader.report.write import write_report
from grader.sandbox.client import Sandbox
from grader.scoring.rows import Level, Row, score
from grader.scoring.rubric import read_rubric
from grader.submission.beside import beside_problems
from grader.submission.folder import read_submission

ALL_MET, SOMETHING_NOT_MET, COULD_NOT_JUDGE = 0, 1, 3
SHEET = "sheet"
_CONFINED = 1


@dataclass(frozen=True, slots=True)
class GradeRequest:
    """What is to be graded, and how.

    Attributes:
        unit: The unit.
        submission: Folder of the student's work.
        state: Folder for reports and measurements, ``.grade`` of the own work or of the grader.
        own: Whether somebody grades their own work.
        seed: Seed of the drawn cases; a fresh one when None.
        task: Letter or id of the one task to check, ``sheet`` for the predictions; all when None.
        level: Confinement level to use; the best there is when None.
        unconfined: Whether other people's work may run below level 1.
    """

    unit: Unit
    submission: Path
    state: Path
    own: bool = True
    seed: str | None = None
    task: str | None = None
    level: int | None = None
    unconfined: bool = False


class Listener(Protocol):
    """Whoever wants to know how a grade is coming along."""

    def started(self, unit: Unit, seed: str, versions: dict[str, str | None], words: str) -> None:
        """The grade begins, under this confinement."""

    def problems(self, problems: Sequence[Problem]) -> None:
        """What is wrong with the input."""

    def evidence(self, evidence: Evidence) -> None:
        """One check has come out."""

    def note(self, text: str) -> None:
        """What is being done right now."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A finished grade.

    Attributes:
        report: The report as plain data.
        path: Where it was written.
        evidence: Outcome of each check.
        rows: The rows that the unit feeds; empty when single tasks were checked.
        status: Exit status.
        interrupted: Whether Ctrl-C ended it early.
    """

    report: dict[str, object]
    path: Path
    evidence: tuple[Evidence, ...]
    rows: tuple[Row, ...]
    status: int
    interrupted: bool


def open_sandbox(unit: Unit, content: Content, level: int | None = None) -> Sandbox:
    """Return the sandbox for a unit's checks, not yet entered; its probes are compiled here."""
    # once, where workers, which may not write here, would do it each time
    compileall.compile_dir(unit.hidden / "probes", quiet=2)
    packages = {"compact": content.compact} if content.compact.is_dir() else {}
    return Sandbox(
        level=level,
        packages=packages,
        preload=unit.preload,
        hidden=content.hidden_folders(),
        probes=unit.probes,
    )


def grade(
    request: GradeRequest, content: Content, listener: Listener, sandbox: Sandbox | None = None
) -> Outcome:
    """Grade one submission of one unit and write its report.

    Args:
        request: What is to be graded, and how.
        content: Where the course lies.
        listener: Told how it is coming along.
        sandbox: An open sandbox to use instead of one of the request's own.

    Raises:
        EvidenceError: if there is nothing to grade, the sandbox cannot be had, or the report
            cannot be written. Everything a stage does ends up in the report instead.
    """
    under_way = _Grade(request, content, listener)
    try:
        under_way.judge(sandbox)
    except KeyboardInterrupt:
        under_way.interrupted = True
    return under_way.outcome()


class _Grade:
    """A grade under way; a report can be made of it at any time."""

    def __init__(self, request: GradeRequest, content: Content, listener: Listener) -> None:
        self._request, self._content, self._listener = request, content, listener
        self._started = datetime.now(UTC)
        self._seed = request.seed or fresh_seed()
        self._tasks = _chosen(request)
        self._submission = read_submission(request.submission, request.unit)
        self._evidence: list[Evidence] = []
        self._problems: list[Problem] = []
        self._sheet: SheetResult | None = None
        self._broken = False
        self._level, self._words = 0, "not started"
        self.interrupted = False

    def judge(self, shared: Sandbox | None) -> None:
        """Run the checks and judge the sheet, keeping each finding as it comes."""
        unit, tasks = self._request.unit, self._tasks
        self._complain((*self._submission.all_problems, *beside_problems(self._submission, unit)))
        with ExitStack() as stack:
            sandbox = shared or stack.enter_context(
                open_sandbox(unit, self._content, self._request.level)
            )
            if tasks is None or any(unit.stage_of(task) == "torch" for task in tasks):
                sandbox.start_early("torch")
            self._admit(sandbox)
            bench = Bench(unit, sandbox)
            self._check(bench)
            wanted = tasks is None or _sheet_task(unit) in tasks
            if wanted and unit.fields and not self.interrupted:
                self._judge_sheet(bench)

    def outcome(self) -> Outcome:
        """Score what was found, write the report and return both."""
        unit, rubric = self._request.unit, self._content.rubric
        rows: tuple[Row, ...] = ()
        if self._tasks is None:
            rows = score(self._evidence, unit.rows, read_rubric(rubric))
        if SELFGRADE_FILE in unit.files and rows and not self.interrupted:
            self._complain(selfgrade_problems(self._submission.files.get(SELFGRADE_FILE), rows))
        if self.interrupted:
            rows = tuple(dataclasses.replace(row, level=Level.NONE) for row in rows)
        report = build_report(
            unit,
            self._circumstances(),
            evidence=self._evidence,
            seal=self._sheet.seal if self._sheet else None,
            residuals=self._sheet.residuals if self._sheet else (),
            rows=rows,
            problems=self._problems,
        )
        # A task alone must not replace the report of its unit.
        scope = unit.id if self._tasks is None else "+".join(sorted(self._tasks))
        # 8.5.P and 8.5.p are one file where case does not matter
        scope = scope.replace(_sheet_task(unit), f"{unit.id}.{SHEET}")
        path = self._request.state / "reports" / f"{scope}.json"
        write_report(report, path, rubric / "schema" / "report-1.json")
        return Outcome(report, path, tuple(self._evidence), rows, self._status(), self.interrupted)

    def _admit(self, sandbox: Sandbox) -> None:
        """Refuse to run other people's work unconfined, unless that was asked for."""
        self._level, self._words = sandbox.level, sandbox.describe()
        request = self._request
        if sandbox.level < _CONFINED and not (request.own or request.unconfined):
            seen = f"the work of others is graded confined, and this machine offers {self._words}"
            todo = "`grade doctor` says what is missing; --unconfined grades it all the same"
            raise SandboxError(Problem(str(request.submission), seen, todo))
        self._listener.started(request.unit, self._seed, versions(), self._words)

    def _check(self, bench: Bench) -> None:
        run = run_checks(
            bench,
            self._submission,
            self._content.solutions,
            self._seed,
            tasks=self._tasks,
            faults=load_faults(bench.unit, self._content.solutions),
            on_evidence=self._keep,
        )
        self.interrupted = run.interrupted
        self._broken = bool(run.broken)
        self._complain([Problem("the grader", broken) for broken in run.broken])

    def _judge_sheet(self, bench: Bench) -> None:
        request, listener = self._request, self._listener
        self._sheet = grade_sheet(
            bench,
            self._submission,
            request.state,
            self._seed,
            listener.note,
        )
        self._complain(self._sheet.problems)
        for evidence in self._sheet.evidence:
            self._keep(evidence)

    def _keep(self, evidence: Evidence) -> None:
        self._evidence.append(evidence)
        self._listener.evidence(evidence)

    def _complain(self, problems: Sequence[Problem]) -> None:
        self._problems += problems
        if problems:
            self._listener.problems(problems)

    def _circumstances(self) -> Circumstances:
        return Circumstances(
            submission=str(self._request.submission),
            digest=self._submission.digest,
            seed=self._seed,
            started=self._started,
            finished=None if self.interrupted else datetime.now(UTC),
            interrupted=self.interrupted,
            versions=versions(),
            machine=machine(),
            confinement=self._level,
            confinement_words=self._words,
            practice=self._level < _CONFINED,
        )

    def _status(self) -> int:
        statuses = {evidence.status for evidence in self._evidence}
        if self.interrupted or self._broken or statuses & {Status.FAULT, Status.VOID}:
            return COULD_NOT_JUDGE
        unmeasured = self._sheet is not None and self._sheet.unmeasured
        if unmeasured or any(status.counts_against for status in statuses):
            return SOMETHING_NOT_MET
        return ALL_MET


def _sheet_task(unit: Unit) -> str:
    """Return the id under which the prediction sheet counts as a task."""
    return f"{unit.id}.P"


def _chosen(request: GradeRequest) -> frozenset[str] | None:
    """Return the ids of the tasks to check, None for all."""
    if request.task is None:
        return None
    if request.unit.fields and request.task.strip() == _sheet_task(request.unit):
        return frozenset({_sheet_task(request.unit)})
    wanted = request.task.strip().lower()
    known = {task.letter: task.id for task in request.unit.tasks}
    known |= {task.id: task.id for task in request.unit.tasks}
    if request.unit.fields:
        known[SHEET] = _sheet_task(request.unit)
    if wanted not in known:
        letters = ", ".join(word for word in known if "." not in word)
        raise UsageError(f"unit {request.unit.id} has no task {request.task!r}; it has {letters}")
    return frozenset({known[wanted]})
