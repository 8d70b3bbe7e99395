"""`grade selftest UNIT --experiment 3`: the script of a question, and what it prints here."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from grader.course.content import Content
from grader.course.experiments import experiment_of
from grader.course.unit import Unit
from grader.errors import EvidenceError, Problem, UsageError
from grader.predictions.advice import nearest
from grader.predictions.selftest import SelfTestQuestion
from grader.report.clean import clean, clean_lines
from grader.report.layout import PlainConsole
from grader.report.palette import BOLD, DIM
from grader.report.progress import Progress

PATIENCE = 120.0
"""How long an experiment may take [s]; most of it is the import of torch."""

_MARGIN = "    "


class ExperimentError(EvidenceError):
    """An experiment did not come to its end."""


def show_experiment(
    unit: Unit,
    content: Content,
    key: Sequence[SelfTestQuestion],
    answers: Mapping[str, Any],
    wanted: str,
) -> int:
    """Show the script of a question, run it, and show what it printed; return the exit status.

    Args:
        unit: The unit.
        content: The course, whose compact model a script may use.
        key: The questions.
        answers: What the student has answered.
        wanted: Number or id of the question, as typed.

    Raises:
        UsageError: if there is no such question or script, or the question is not answered yet.
        ExperimentError: if the script fails or takes too long.
    """
    question = _question(key, wanted)
    path = experiment_of(unit, question.id)
    if path is None:
        raise UsageError(f"question {question.id} of {unit.id} has no experiment")
    if question.id not in answers:
        todo = "then let the experiment tell you whether it is right"
        raise UsageError(Problem("", f"answer {question.id} first", todo))
    console = PlainConsole(sys.stdout)
    head = Text(f"{unit.id}  {question.id}  ", style=BOLD)
    console.lines(head, Text(clean(question.text)), head.cell_len)
    console.lines(Text("\n  the experiment", style=DIM), Text(), 0)
    _print(path.read_text(encoding="utf-8"))
    progress = Progress(sys.stderr)
    progress.show("running it ...")
    try:
        printed = run_experiment(path, content)
    finally:
        progress.clear()
    console.lines(Text("\n  what it prints here", style=DIM), Text(), 0)
    _print(printed)
    return 0


def run_experiment(path: Path, content: Content) -> str:
    """Return what a script prints, run in a process and an empty folder of its own.

    Raises:
        ExperimentError: if it fails or takes too long.
    """
    package = Path(__file__).resolve().parents[2]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join((str(package), str(content.exercises))),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "KINETO_LOG_LEVEL": "6",  # the profiler's own remarks
    }
    with tempfile.TemporaryDirectory(prefix="experiment-") as folder:
        try:
            ran = subprocess.run(
                [sys.executable, "-P", str(path)],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=PATIENCE,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            seen = f"it was stopped after {PATIENCE:.0f} s"
            raise ExperimentError(
                Problem(path.name, seen, "try again on an idle machine")
            ) from error
    if ran.returncode:
        last = (ran.stdout.strip().splitlines() or ["it gave no reason"])[-1]
        raise ExperimentError(Problem(path.name, f"it failed: {last}"))
    return ran.stdout


def _question(key: Sequence[SelfTestQuestion], wanted: str) -> SelfTestQuestion:
    """Return the question a person means by 3 or q3."""
    name = wanted.strip().lower()
    questions = {question.id: question for question in key}
    found = questions.get(name) or questions.get(f"q{name}")
    if found is None:
        near = nearest(name, questions)
        todo = f"did you mean {near}?" if near else f"use one of {', '.join(questions)}"
        raise UsageError(Problem("", f"there is no question {wanted!r}", todo))
    return found


def _print(text: str) -> None:
    for line in clean_lines(text.rstrip()):
        click.echo(f"{_MARGIN}{line}".rstrip())
