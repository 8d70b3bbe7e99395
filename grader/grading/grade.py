"""One grade from end to end: submission, checks, sheet, rows, report."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
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
from grader.grading.sheet import SheetResult, grade_sheet
from grader.report.model import Circumstances, build_report
from grader.report.surroundings import machine, versions
from grader.report.write import write_report
from grader.sandbox.client import Sandbox
from grader.scoring.rows import Level, Row, score
from grader.scoring.rubric import read_rubric
from grader.submission.folder import Submission, read_submission

ALL_MET, SOMETHING_NOT_MET, COULD_NOT_JUDGE = 0, 1, 3
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
        task: Letter or id of the one task to check; all when None.
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


@dataclass(slots=True)
class _Found:
    """What has been found so far; a report can be made of it at any time."""

    evidence: list[Evidence] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    sheet: SheetResult | None = None
    interrupted: bool = False
    level: int = 0
    words: str = "not started"
    broken: list[str] = field(default_factory=list)


def open_sandbox(unit: Unit, content: Content, level: int | None = None) -> Sandbox:
    """Return the sandbox for a unit's checks, not yet entered."""
    packages = {"compact": content.compact} if content.compact.is_dir() else {}
    return Sandbox(
        level=level, packages=packages, preload=unit.preload, hidden=content.hidden_folders()
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
    started = datetime.now(UTC)
    seed = request.seed or fresh_seed()
    tasks = _chosen(request)
    submission = read_submission(request.submission, request.unit)
    found = _Found(problems=list(submission.all_problems))
    listener.problems(submission.all_problems)
    try:
        _judge(request, content, listener, submission, seed, tasks, found, sandbox)
    except KeyboardInterrupt:
        found.interrupted = True
    rows: tuple[Row, ...] = ()
    if tasks is None:
        rubric = read_rubric(content.rubric)
        rows = score(found.evidence, request.unit.rows, rubric)
        if found.interrupted:
            rows = tuple(dataclasses.replace(row, level=Level.NONE) for row in rows)
    report = build_report(
        request.unit,
        Circumstances(
            submission=str(request.submission),
            digest=submission.digest,
            seed=seed,
            started=started,
            finished=None if found.interrupted else datetime.now(UTC),
            interrupted=found.interrupted,
            versions=versions(),
            machine=machine(),
            confinement=found.level,
            confinement_words=found.words,
            practice=found.level < _CONFINED,
        ),
        evidence=found.evidence,
        seal=found.sheet.seal if found.sheet else None,
        residuals=found.sheet.residuals if found.sheet else (),
        rows=rows,
        problems=found.problems,
    )
    path = request.state / "reports" / f"{_scope(request, tasks)}.json"
    write_report(report, path, content.rubric / "schema" / "report-1.json")
    return Outcome(report, path, tuple(found.evidence), rows, _status(found), found.interrupted)


def _judge(
    request: GradeRequest,
    content: Content,
    listener: Listener,
    submission: Submission,
    seed: str,
    tasks: frozenset[str] | None,
    found: _Found,
    shared: Sandbox | None,
) -> None:
    """Run the checks and judge the sheet, noting each finding in `found` as it comes."""
    unit = request.unit
    with ExitStack() as stack:
        sandbox = shared or stack.enter_context(open_sandbox(unit, content, request.level))
        if tasks is None or any(unit.stage_of(task) == "torch" for task in tasks):
            sandbox.start_early("torch")
        found.level, found.words = sandbox.level, sandbox.describe()
        if sandbox.level < _CONFINED and not (request.own or request.unconfined):
            raise SandboxError(
                Problem(
                    str(request.submission),
                    f"the work of others is graded confined, and this machine offers {found.words}",
                    "`grade doctor` says what is missing; --unconfined grades it all the same",
                )
            )
        listener.started(unit, seed, versions(), found.words)
        bench = Bench(unit, sandbox)

        def keep(evidence: Evidence) -> None:
            found.evidence.append(evidence)
            listener.evidence(evidence)

        run = run_checks(
            bench,
            submission,
            content.solutions,
            seed,
            tasks=tasks,
            faults=load_faults(unit, content.solutions),
            on_evidence=keep,
        )
        found.interrupted = run.interrupted
        found.broken = list(run.broken)
        found.problems += [Problem("the grader", broken) for broken in run.broken]
        if tasks is None and unit.fields and not run.interrupted:
            found.sheet = grade_sheet(
                bench, submission.folder, request.submission, request.state, seed, listener.note
            )
            found.problems += found.sheet.problems
            listener.problems(found.sheet.problems)
            for evidence in found.sheet.evidence:
                keep(evidence)


def _chosen(request: GradeRequest) -> frozenset[str] | None:
    """Return the ids of the tasks to check, None for all."""
    if request.task is None:
        return None
    wanted = request.task.strip().lower()
    known = {task.letter: task.id for task in request.unit.tasks}
    known |= {task.id: task.id for task in request.unit.tasks}
    if wanted not in known:
        letters = ", ".join(task.letter for task in request.unit.tasks)
        raise UsageError(f"unit {request.unit.id} has no task {request.task!r}; it has {letters}")
    return frozenset({known[wanted]})


def _scope(request: GradeRequest, tasks: frozenset[str] | None) -> str:
    """Return what a report is about: a task alone must not replace the report of its unit."""
    return request.unit.id if tasks is None else "+".join(sorted(tasks))


def _status(found: _Found) -> int:
    statuses = {evidence.status for evidence in found.evidence}
    if found.interrupted or found.broken or statuses & {Status.FAULT, Status.VOID}:
        return COULD_NOT_JUDGE
    if any(status.counts_against for status in statuses):
        return SOMETHING_NOT_MET
    return ALL_MET
