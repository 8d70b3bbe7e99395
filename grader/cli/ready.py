"""`grade ready`: all units and rows at a glance, what is missing, and what to do next."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from grader.cli.places import own_state, workspace
from grader.course.catalog import units
from grader.course.content import Content, installed_content
from grader.course.unit import Unit
from grader.errors import EvidenceError
from grader.predictions.selftest import SELFTEST_FILE, Mark, mark_answers, read_answers, read_key
from grader.report.clean import clean
from grader.report.history import read_reports
from grader.report.layout import PlainConsole
from grader.report.palette import BOLD, DIM, style_of
from grader.report.readiness import Known, UnitState, unit_state
from grader.submission.folder import read_submission

READY, NOT_READY = 0, 1
_NONE = "-"


def show_readiness(*, as_json: bool) -> int:
    """Show how far every unit has come; the exit status is 0 when nothing is missing."""
    content = installed_content()
    known = units(content)
    reports, problems = read_reports(own_state() / "reports")
    states = [unit_state(unit, _known(unit, content, reports)) for unit in known]
    for problem in problems:
        click.echo(f"note: {clean(str(problem))}", err=True)
    if as_json:
        click.echo(json.dumps(_plain(states), indent=2))
    else:
        _print(PlainConsole(sys.stdout), known, states)
    return NOT_READY if any(state.steps for state in states) else READY


def _known(unit: Unit, content: Content, reports: Sequence[dict[str, Any]]) -> Known:
    """Return what is known of the own work on one unit; nothing is run."""
    own = [
        report
        for report in reports
        if any(check["task"].startswith(f"{unit.id}.") for check in report["checks"])
    ]
    try:
        submission = read_submission(workspace(unit), unit)
    except EvidenceError:  # not begun
        return Known(own, "", _marks(unit, content, None))
    return Known(own, submission.digest, _marks(unit, content, submission.folder))


def _marks(unit: Unit, content: Content, folder: Path | None) -> tuple[int, int] | None:
    """Return how many answers of the self-test are right, and how many there are."""
    path = content.solutions / unit.folder / SELFTEST_FILE
    if not path.is_file():
        return None
    key = read_key(path)
    try:
        marked = mark_answers(key, read_answers(folder / SELFTEST_FILE, key)) if folder else ()
    except EvidenceError:  # `grade selftest` says what is wrong with the file
        marked = ()
    return sum(answer.mark == Mark.RIGHT for answer in marked), len(key)


def _plain(states: Sequence[UnitState]) -> dict[str, Any]:
    return {
        "ready": not any(state.steps for state in states),
        "minutes": sum(state.minutes for state in states),
        "units": [asdict(state) | {"minutes": state.minutes} for state in states],
    }


def _print(console: PlainConsole, known: Sequence[Unit], states: Sequence[UnitState]) -> None:
    """Print a line for each unit, then what is missing, then the next step."""
    rows = list(dict.fromkeys(row for unit in known for row in unit.rows))
    margin = max((len(state.id) for state in states), default=0) + 2
    head = f"{'':<{margin}}{'tasks':<9}{'sheet':<11}{'self-test':<11}rows"
    console.lines(Text(head, style=DIM), Text(), 0)
    for unit, state in zip(known, states, strict=True):
        marks = f"{state.selftest[0]}/{state.selftest[1]}" if state.selftest else _NONE
        lead = Text(f"{state.id:<{margin}}{f'{state.done}/{state.tasks}':<9}")
        lead.append(f"{(state.sheet or _NONE) if unit.fields else _NONE:<11}{marks:<11}")
        console.lines(lead, _levels(unit, state, rows), margin + 31)
    for state in states:
        _print_missing(console, state)
    steps = [step for state in states for step in state.steps]
    if not steps:
        console.lines(Text("\nNothing is missing: you are ready for the capstone."), Text(), 0)
        return
    first = next(state for state in states if state.steps).steps[0]
    hours = sum(step.minutes for step in steps) / 60
    line = f"\nnext: {clean(first.what)}, about {first.minutes} minutes: {first.command}"
    console.lines(Text(line), Text(), 0)
    console.lines(Text(f"all that is missing: about {hours:.1f} hours"), Text(), 0)


def _levels(unit: Unit, state: UnitState, order: Sequence[str]) -> Text:
    """Return the unit's rows with what they have reached."""
    words = Text()
    for row in order:
        if row in unit.rows:
            level = state.rows.get(row, "not graded")
            words.append(f"{', ' if words else ''}{row.replace('_', ' ')} ")
            words.append(level, style=style_of(level))
    return words


def _print_missing(console: PlainConsole, state: UnitState) -> None:
    """Print what a unit lacks: the first three steps, and how many more there are."""
    if not state.steps:
        return
    title = Text(f"\n{state.id}  {clean(state.title)}", style=BOLD)
    title.append(f", about {state.minutes} minutes left", style=DIM)
    console.lines(title, Text(), 0)
    for step in state.steps[:3]:
        console.lines(Text(f"  {step.minutes:>3} min  "), Text(clean(step.what)), 11)
    if len(state.steps) > 3:
        console.lines(Text(" " * 11), Text(f"and {len(state.steps) - 3} more", style=DIM), 11)
