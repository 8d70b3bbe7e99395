"""`grade unit`: check, measure and score, and show it while it happens."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.pages import check_target, write_page
from grader.cli.places import shown, state_of, workspace
from grader.course.catalog import find_unit, units
from grader.course.content import installed_content
from grader.course.unit import Unit
from grader.errors import Problem
from grader.report.clean import clean
from grader.report.layout import PlainConsole
from grader.report.progress import Progress
from grader.report.terminal import TerminalReport
from grader.report.write import report_text

if TYPE_CHECKING:
    from grader.checks.evidence import Evidence

INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Wish:
    """What was asked for on the command line.

    Attributes:
        unit: Id or folder name of the unit, as typed.
        task: Letter or id of the one task to check; None for all.
        hints: Hints to show for a task, 0 to 3.
        seed: Seed to repeat; None for a fresh one.
        as_json: Whether to print the report alone.
        html: Where to write the report as a page; None for no page.
        submission: Somebody else's work; None for one's own.
        level: Confinement level; None for the best there is.
        unconfined: Whether other people's work may run below level 1.
    """

    unit: str
    task: str | None
    hints: int
    seed: str | None
    as_json: bool
    html: Path | None
    submission: Path | None
    level: int | None
    unconfined: bool


def grade_unit(wish: Wish) -> int:
    """Grade as wished; return the exit status.

    Raises:
        EvidenceError: if there is nothing to grade, or no way to grade it.
    """
    content = installed_content()
    unit = find_unit(wish.unit, units(content))
    if wish.html:
        check_target(wish.html)
    own = wish.submission is None
    root = wish.submission or workspace(unit)
    report = TerminalReport(PlainConsole(sys.stdout), unit, wish.hints)
    if not wish.as_json:
        report.header()
    watcher = Watcher(Progress(sys.stderr), None if wish.as_json else report)
    watcher.note("starting")

    # after the header: these load NumPy and pytest
    from grader.grading import GradeRequest, grade
    from grader.sandbox.client import harden_driver

    harden_driver()
    request = GradeRequest(
        unit=unit,
        submission=root,
        state=state_of(root, own=own),
        own=own,
        seed=wish.seed,
        task=wish.task,
        level=wish.level,
        unconfined=wish.unconfined,
    )
    try:
        outcome = grade(request, content, watcher)
    finally:
        watcher.done()
    if watcher.lost:
        raise watcher.lost
    if wish.as_json:
        click.echo(report_text(outcome.report), nl=False)
    else:
        report.finish(outcome.report, shown(outcome.path))
    if wish.html:
        write_page(outcome.report, wish.html)
        click.echo(f"  page: {shown(wish.html)}", err=wish.as_json)
    return INTERRUPTED if outcome.interrupted else outcome.status


class Watcher:
    """Hears how a grade is coming along, and shows it: on stdout, unless only JSON goes there.

    Attributes:
        lost: Why lines could not be shown, such as a full disk behind stdout; the grade and its
            report go on without them.
    """

    def __init__(self, progress: Progress, report: TerminalReport | None) -> None:
        """Show progress, and lines of the report if there is one."""
        self._progress = progress
        self._report = report
        self.lost: OSError | None = None

    def started(self, unit: Unit, seed: str, versions: dict[str, str | None], words: str) -> None:
        """The grade begins, under this confinement."""
        self._progress.clear()
        self._show(lambda report: report.started(seed, versions, words))
        self.note("loading torch")

    def problems(self, problems: Sequence[Problem]) -> None:
        """Say what is wrong with the input, a line each."""
        self._progress.clear()
        for problem in problems:
            click.echo(f"problem: {clean(str(problem))}", err=True)

    def evidence(self, evidence: Evidence) -> None:
        """Show what came out of one check."""
        self._progress.clear()
        self._show(lambda report: report.evidence(evidence))
        self.note("checking")

    def note(self, text: str) -> None:
        """Show what is being done right now."""
        self._progress.show(f"{text} ...")

    def done(self) -> None:
        """Take the progress away."""
        self._progress.clear()

    def _show(self, part: Callable[[TerminalReport], None]) -> None:
        if self._report and not self.lost:
            try:
                part(self._report)
            except OSError as error:
                self.lost = error
