"""`grade project start`: a training run with one fault, beside the project's stage and sheets."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import click

from grader.checks.draw import fresh_seed
from grader.cli.places import shown, workspace
from grader.cli.workspace import is_for_students
from grader.course.catalog import units
from grader.course.content import installed_content
from grader.course.project import TRAINER_FILE, seed_fault, start_files
from grader.course.unit import Unit
from grader.course.variants import FAULTS_FILE
from grader.durable import replace_file
from grader.errors import Problem, UsageError


def start_project(seed: str | None, model: str) -> None:
    """Write the files of a new project into the workspace; nothing that is there is changed.

    Raises:
        UsageError: if a project is there already, or the seed is none.
    """
    unit = _project_unit()
    seed = fresh_seed() if seed is None else seed
    if seen := seed_fault(seed):
        raise UsageError(Problem(f"--seed {seed!r:.80}", seen))
    folder = workspace(unit) / unit.folder
    files = start_files(unit, seed, model)
    there = [name for name in files if os.path.lexists(folder / name)]
    if there:
        seen = f"{', '.join(there)}: a project has begun here"
        todo = "move it away to begin another; nothing was changed"
        raise UsageError(Problem(shown(folder), seen, todo))
    _lay_out(unit, folder)
    for name, text in files.items():
        replace_file(folder / name, text.encode("utf-8"))
    click.echo(f"{unit.id}  {shown(folder)}: seed {seed}, model {model}")
    click.echo(f"\n{TRAINER_FILE} trains, and has one fault. What to do is in README.md beside it.")
    if model == "own":
        click.echo("\nnext: fill in the three functions of adapter.py")
    click.echo(f"next: fill in prediction.toml, then `grade predict {unit.id}`")


def _project_unit() -> Unit:
    """Return the unit of the course that is a project."""
    for unit in units(installed_content()):
        if (unit.hidden / FAULTS_FILE).is_file():
            return unit
    raise UsageError("this course has no project")


def _lay_out(unit: Unit, folder: Path) -> None:
    """Copy lesson, stub and sheets to where they are missing, as `grade start` would have."""
    folder.mkdir(parents=True, exist_ok=True)
    for source in sorted(unit.path.iterdir()):
        target = folder / source.name
        if source.is_file() and is_for_students(source.name) and not os.path.lexists(target):
            shutil.copyfile(source, target)
