"""`grade author`: the content contract, and stubs from solutions."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from grader.course.catalog import find_unit, units
from grader.course.content import Content, installed_content
from grader.course.stubs import unit_stubs
from grader.course.unit import Unit
from grader.errors import EvidenceError, Problem
from grader.predictions.blank_sheet import blank_sheet
from grader.report.clean import clean
from grader.report.progress import Progress

SOUND, UNSOUND = 0, 1


def check_units(name: str | None) -> int:
    """Hold one unit, or all, against the content contract; return the exit status."""
    from grader.checks.contract import check_unit
    from grader.checks.subject import Bench
    from grader.grading import open_sandbox

    content = installed_content()
    progress = Progress(sys.stderr)
    broken = 0
    for unit in _chosen(name, content):
        progress.show(f"{unit.id}: starting")
        try:
            with open_sandbox(unit, content) as sandbox:
                problems: Sequence[Problem] = check_unit(
                    unit,
                    content,
                    Bench(unit, sandbox),
                    lambda text, unit=unit: progress.show(f"{unit.id}: {text}"),  # type: ignore[misc]
                )
        except EvidenceError as error:
            problems = error.problems
        finally:
            progress.clear()
        _say(unit, problems, "keeps the contract")
        broken += bool(problems)
    return UNSOUND if broken else SOUND


def make_stubs(name: str | None, *, only_check: bool) -> int:
    """Write the stubs and blank sheet of one unit, or of all, or say which are out of date."""
    content = installed_content()
    stale = 0
    for unit in _chosen(name, content):
        differing = [
            (path, text)
            for path, text in _made(unit, content).items()
            if not path.is_file() or path.read_text(encoding="utf-8") != text
        ]
        if not only_check:
            for path, text in differing:
                path.write_text(text, encoding="utf-8")
                click.echo(f"{unit.id}  wrote {path}")
            differing = []
        todo = f"run `grade author stubs {unit.id}`"
        _say(
            unit,
            [Problem(str(path), "is out of date", todo) for path, _ in differing],
            "stubs are up to date",
        )
        stale += bool(differing)
    return UNSOUND if stale else SOUND


def _made(unit: Unit, content: Content) -> dict[Path, str]:
    """Return the files of a unit that are made from others: its stubs and its blank sheet."""
    sheet = {unit.path / "prediction.toml": blank_sheet(unit)} if unit.fields else {}
    return unit_stubs(unit, content.solutions) | sheet


def _chosen(name: str | None, content: Content) -> tuple[Unit, ...]:
    known = units(content)
    return known if name is None else (find_unit(name, known),)


def _say(unit: Unit, problems: Sequence[Problem], sound: str) -> None:
    """Print that a unit is sound, or what is wrong with it, a line each."""
    if not problems:
        click.echo(f"{unit.id}  {sound}")
    for problem in problems:
        click.echo(f"{unit.id}  {clean(str(problem))}", err=True)
