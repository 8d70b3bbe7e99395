"""`grade selftest`: answers held against the key of a unit."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from grader.cli.places import workspace
from grader.course.catalog import find_unit, units
from grader.course.content import installed_content
from grader.errors import UsageError
from grader.predictions.selftest import (
    SELFTEST_FILE,
    Mark,
    MarkedAnswer,
    mark_answers,
    read_answers,
    read_key,
)
from grader.report.clean import clean
from grader.report.layout import PlainConsole
from grader.report.palette import BOLD, DIM, style_of
from grader.submission.folder import read_submission

ALL_RIGHT, NOT_ALL_RIGHT = 0, 1
_INDENT = 2
_MARK = 7  # "right" and a gap


def mark_selftest(name: str, submission: Path | None) -> int:
    """Mark the self-test of the unit called `name`; return the exit status.

    Raises:
        EvidenceError: if there is no such unit, self-test or folder, or the answers are malformed.
    """
    content = installed_content()
    unit = find_unit(name, units(content))
    key_path = content.solutions / unit.folder / SELFTEST_FILE
    if not key_path.is_file():
        raise UsageError(f"unit {unit.id} has no self-test")
    folder = read_submission(submission or workspace(unit), unit).folder
    key = read_key(key_path)
    marked = mark_answers(key, read_answers(folder / SELFTEST_FILE, key))
    console = PlainConsole(sys.stdout)
    console.lines(Text(f"{unit.id}  Self-test: {clean(unit.title)}", style=BOLD), Text(), 0)
    _print(console, marked)
    right = sum(answer.mark == Mark.RIGHT for answer in marked)
    console.lines(Text(f"\n  {right} of {len(marked)} right"), Text(), 0)
    return ALL_RIGHT if right == len(marked) else NOT_ALL_RIGHT


def _print(console: PlainConsole, marked: Sequence[MarkedAnswer]) -> None:
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
