"""`grade predict`: validate, seal and commit a prediction sheet."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.places import shown, workspace
from grader.course.catalog import find_unit, units
from grader.course.content import installed_content
from grader.errors import SubmissionError, UsageError
from grader.predictions.ledger import LEDGER_FILE, Ledger
from grader.predictions.quantity import Quantity
from grader.predictions.seal import Sealed, seal_sheet
from grader.predictions.sheet import SHEET_FILE
from grader.predictions.verdict import SealWord
from grader.submission.beside import beside_problems, digests
from grader.submission.folder import read_submission

SEALED, TOO_LATE = 0, 1
FEWEST_DIGITS = 3  # from here on a gap may be put down to rounding
_SHORT = 12  # characters of a hash that a person compares


def seal(name: str, submission: Path | None) -> int:
    """Seal the sheet of the unit called `name`; return the exit status.

    Raises:
        EvidenceError: if there is no such unit or folder, or the sheet or ledger is unsound.
    """
    unit = find_unit(name, units(installed_content()))
    if not unit.fields:
        raise UsageError(f"unit {unit.id} has no prediction sheet")
    root = submission or workspace(unit)
    work = read_submission(root, unit)
    if problems := beside_problems(work, unit):
        raise SubmissionError(problems)
    sheet = work.folder / SHEET_FILE
    ledger = Ledger(root / LEDGER_FILE)
    sealed = seal_sheet(sheet, unit, ledger, beside=digests(work, unit))
    words = "sealed" if sealed.is_new else "already sealed"
    if sealed.verdict.word == SealWord.LATE:
        words += " too late"
    count = len(sealed.sheet.entries)
    parts = [
        f"{words} {sealed.entry.hash[:_SHORT]}",
        "1 prediction" if count == 1 else f"{count} predictions",
    ]
    parts += [f"sheet committed {sealed.commit.id[:_SHORT]}"] if sealed.commit.id else []
    click.echo(f"{unit.id}  {shown(sheet)}: {', '.join(parts)}")
    if sealed.commit.note:
        click.echo(f"note: {sealed.commit.note}", err=True)
    for field in unit.fields:
        entry = sealed.sheet.entries[field.name]
        written = entry.quantity
        if field.kind == "exact" and written and _is_coarse(written):
            click.echo(f"note: {field.name} is exact, and {entry.text!r} is rounded", err=True)
    return _advise(sealed, unit.id)


def _is_coarse(written: Quantity) -> bool:
    """Whether a number was rounded so far that rounding cannot explain a gap any more."""
    return written.digits < FEWEST_DIGITS and written.half_digit > 0.5


def _advise(sealed: Sealed, unit_id: str) -> int:
    """Say what the seal is good for, and what to do next."""
    if sealed.verdict.word != SealWord.SEALED:
        click.echo(f"{sealed.verdict.word}: {sealed.verdict.message}", err=True)
        return TOO_LATE
    if sealed.verdict.measured_at:
        click.echo(f"next: `grade unit {unit_id}` holds it against the measurement")
    else:
        click.echo(f"next: fill in the stages, then `grade unit {unit_id}` measures")
    return SEALED
