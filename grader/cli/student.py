"""The commands of a student. Each imports what it needs when it runs."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import click

FOLDER = click.Path(path_type=Path)


@click.command("list")
def list_command() -> None:
    """Show the units, their hours and rows, and what you have done."""
    from grader.cli.listing import unit_lines
    from grader.cli.places import own_state
    from grader.course.catalog import units
    from grader.course.content import installed_content
    from grader.report.clean import clean
    from grader.report.history import read_reports, tasks_done

    known = units(installed_content())
    reports, problems = read_reports(own_state() / "reports")
    for line in unit_lines(known, tasks_done(reports), shutil.get_terminal_size().columns):
        click.echo(line)
    for problem in problems:
        click.echo(f"note: {clean(str(problem))}", err=True)


@click.command("start")
@click.argument("folder", metavar="DIR", type=FOLDER)
def start_command(folder: Path) -> None:
    """Make DIR your workspace: lessons, stubs and sheets, under git."""
    from grader.cli.places import shown
    from grader.cli.workspace import make_workspace
    from grader.course.catalog import units
    from grader.course.content import installed_content

    content = installed_content()
    note = make_workspace(folder, content)
    known = units(content)
    first = known[0] if known else None
    click.echo(f"Your workspace is {shown(folder)}.")
    if note:
        click.echo(f"note: {note}", err=True)
    if first:
        click.echo(f"\nnext:\n  cd {shlex.quote(str(folder))}")
        click.echo(f"  grade predict {first.id}\n  grade unit {first.id}")
        click.echo(f"\nThe lesson is in {first.folder}/README.md.")


@click.command("predict")
@click.argument("unit", metavar="UNIT")
@click.option("--submission", type=FOLDER, help="Folder of your work, if not this one.")
def predict_command(unit: str, submission: Path | None) -> int:
    """Check, seal and commit your prediction sheet for UNIT, before measuring."""
    from grader.cli.sealing import seal

    return seal(unit, submission)


@click.command("unit")
@click.argument("unit", metavar="UNIT")
@click.option("--task", metavar="LETTER", help="Check this one task.")
@click.option("--hints", type=click.IntRange(0, 3), default=1, help="Hints to show for a task.")
@click.option("--seed", help="Repeat the drawn cases of an earlier run.")
@click.option("--json", "as_json", is_flag=True, help="Print the report alone on stdout.")
@click.option("--html", type=FOLDER, metavar="FILE", help="Write the report as a page, too.")
@click.option("--submission", type=FOLDER, help="Somebody else's work; nothing is written there.")
@click.option("--level", type=click.IntRange(0, 3), help="Confinement level; the best by default.")
@click.option("--unconfined", is_flag=True, help="Grade the work of others below level 1 too.")
def unit_command(
    *,
    unit: str,
    task: str | None,
    hints: int,
    seed: str | None,
    as_json: bool,
    html: Path | None,
    submission: Path | None,
    level: int | None,
    unconfined: bool,
) -> int:
    """Check, measure and score your work on UNIT."""
    from grader.cli.grading import Wish, grade_unit

    return grade_unit(Wish(unit, task, hints, seed, as_json, html, submission, level, unconfined))


@click.command("page")
@click.argument("report", metavar="REPORT", type=FOLDER)
@click.argument("file", metavar="FILE", type=FOLDER)
def page_command(report: Path, file: Path) -> int:
    """Make a page FILE of the report of an earlier grade, such as .grade/reports/8.9.json."""
    from grader.cli.pages import page_of_file

    return page_of_file(report, file)


@click.command("selftest")
@click.argument("unit", metavar="[UNIT]", required=False)
@click.option("--experiment", metavar="N", help="Show and run the experiment of question N.")
@click.option("--submission", type=FOLDER, help="Folder of your work, if not this one.")
def selftest_command(unit: str | None, experiment: str | None, submission: Path | None) -> int:
    """Check your answers to the self-test of UNIT, or of every unit you have.

    For a wrong answer it names an experiment, a short script that shows what happens.
    """
    from grader.cli.selftest import mark_all, mark_selftest, run_experiment_of

    if unit is None:
        if experiment is not None:
            raise click.UsageError("--experiment needs a unit", click.get_current_context())
        return mark_all(submission)
    if experiment is not None:
        return run_experiment_of(unit, submission, experiment)
    return mark_selftest(unit, submission)


@click.command("start")
@click.option("--seed", help="Any name; it decides which fault you get. A fresh one by default.")
@click.option(
    "--model",
    type=click.Choice(["mlp", "transformer", "own"]),
    default="mlp",
    show_default=True,
    help="What is trained; own lays out an adapter to fill in.",
)
def project_start_command(seed: str | None, model: str) -> None:
    """Lay out a training run with one fault, to be found, repaired, measured and resumed."""
    from grader.cli.project import start_project

    start_project(seed, model)


@click.command("ready")
@click.option("--json", "as_json", is_flag=True, help="Print what is known as JSON.")
def ready_command(*, as_json: bool) -> int:
    """Show all units and rows at a glance, and what is missing before the capstone."""
    from grader.cli.ready import show_readiness

    return show_readiness(as_json=as_json)


@click.command("doctor")
def doctor_command() -> int:
    """Show what this machine has, and what it lacks."""
    from grader.cli.doctor import examine

    return examine()
