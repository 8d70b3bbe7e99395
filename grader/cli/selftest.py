"""`grade selftest`: answers held against the keys of one unit, or of all that a workspace has."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import click
from rich.text import Text

from grader.cli.places import workspace
from grader.course.catalog import find_unit, units
from grader.course.content import Content, installed_content
from grader.course.experiments import experiment_of
from grader.course.unit import Unit
from grader.errors import EvidenceError, Problem, UsageError
from grader.predictions.selftest import (
    SELFTEST_FILE,
    Mark,
    MarkedAnswer,
    SelfTestQuestion,
    mark_answers,
    read_answers,
    read_key,
)
from grader.report.clean import clean
from grader.report.layout import PlainConsole
from grader.report.palette import BOLD, DIM, style_of
from grader.submission.folder import read_submission

ALL_RIGHT, NOT_ALL_RIGHT, WRONG_USE = 0, 1, 2
_INDENT = 2
_MARK = 7  # "right" and a gap


def mark_selftest(name: str, submission: Path | None) -> int:
    """Mark the self-test of the unit called `name`; return the exit status.

    Raises:
        EvidenceError: if there is no such unit, self-test or folder, or the answers are malformed.
    """
    content = installed_content()
    right, asked = _mark(find_unit(name, units(content)), content, submission)
    return ALL_RIGHT if right == asked else NOT_ALL_RIGHT


def mark_all(submission: Path | None) -> int:
    """Mark the self-tests of all units that a workspace has; return the exit status.

    What is wrong with one unit's file is said, and the others are marked all the same.

    Raises:
        UsageError: if there is no self-test here.
    """
    content = installed_content()
    here = [unit for unit in units(content) if _has_selftest(unit, content, submission)]
    if not here:
        raise UsageError("there is no self-test here; `grade start DIR` makes a workspace")
    problems: list[Problem] = []
    right = asked = 0
    for unit in here:
        if unit is not here[0]:
            click.echo()
        try:
            counts = _mark(unit, content, submission)
        except EvidenceError as error:
            problems += error.problems
            click.echo(f"{unit.id}  Self-test: {clean(unit.title)}\n\n  cannot be read, see below")
            continue
        right, asked = right + counts[0], asked + counts[1]
    click.echo(f"\n{right} of {asked} right in {len(here)} unit{'s' if len(here) > 1 else ''}")
    for problem in problems:
        click.echo(f"error: {clean(str(problem))}", err=True)
    if problems:
        return WRONG_USE
    return ALL_RIGHT if right == asked else NOT_ALL_RIGHT


def run_experiment_of(name: str, submission: Path | None, question: str) -> int:
    """Show and run the experiment of a question that has been answered; return the exit status.

    Raises:
        EvidenceError: if there is no such unit, question or experiment, it is not answered yet, or
            the experiment fails.
    """
    from grader.cli.experiment import show_experiment

    content = installed_content()
    unit = find_unit(name, units(content))
    key = _key(unit, content)
    folder = read_submission(submission or workspace(unit), unit).folder
    answers = read_answers(folder / SELFTEST_FILE, key)
    return show_experiment(unit, content, key, answers, question)


def _has_selftest(unit: Unit, content: Content, submission: Path | None) -> bool:
    root = submission or workspace(unit)
    has_key = (content.solutions / unit.folder / SELFTEST_FILE).is_file()
    return has_key and (root / unit.folder / SELFTEST_FILE).is_file()


def _key(unit: Unit, content: Content) -> tuple[SelfTestQuestion, ...]:
    path = content.solutions / unit.folder / SELFTEST_FILE
    if not path.is_file():
        raise UsageError(f"unit {unit.id} has no self-test")
    return read_key(path)


def _mark(unit: Unit, content: Content, submission: Path | None) -> tuple[int, int]:
    """Mark one unit and show it; return how many answers are right, and how many there are."""
    key = _key(unit, content)
    folder = read_submission(submission or workspace(unit), unit).folder
    marked = mark_answers(key, read_answers(folder / SELFTEST_FILE, key))
    console = PlainConsole(sys.stdout)
    console.lines(Text(f"{unit.id}  Self-test: {clean(unit.title)}", style=BOLD), Text(), 0)
    _print(console, marked, unit, submission)
    right = sum(answer.mark == Mark.RIGHT for answer in marked)
    console.lines(Text(f"\n  {right} of {len(marked)} right"), Text(), 0)
    return right, len(marked)


def _print(
    console: PlainConsole, marked: Sequence[MarkedAnswer], unit: Unit, submission: Path | None
) -> None:
    """Print each question with its mark; what was answered and where to look if it is not right."""
    width = max((len(answer.id) for answer in marked), default=0)
    body = _INDENT + _MARK + width + _INDENT
    words = {Mark.RIGHT: "met", Mark.WRONG: "not met", Mark.BLANK: "not attempted"}
    for answer in marked:
        lead = Text(" " * _INDENT)
        lead.append(f"{answer.mark:<{_MARK}}", style=style_of(words[answer.mark]))
        lead.append(clean(answer.id))
        console.lines(lead, Text(clean(answer.text)), body)
        margin = Text(" " * body)
        if answer.mark == Mark.WRONG:
            console.lines(margin, Text(f"you wrote: {clean(answer.given)}", style=DIM), body)
        if answer.mark != Mark.RIGHT and answer.pointer:
            console.lines(margin, Text(clean(answer.pointer)), body)
        if answer.mark == Mark.WRONG and experiment_of(unit, answer.id):
            command = _command(unit, answer.id, submission)
            console.lines(margin, Text(f"see it happen: {clean(command)}"), body)


def _command(unit: Unit, question: str, submission: Path | None) -> str:
    """Return the command that runs a question's experiment."""
    where = ["--submission", str(submission)] if submission else []
    number = question.removeprefix("q")
    return shlex.join(["grade", "selftest", unit.id, *where, "--experiment", number])
