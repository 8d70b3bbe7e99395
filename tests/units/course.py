"""The units of the course, and their stages with an answer appended, for tests over all units."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

from grader.checks.evidence import Evidence, Status
from grader.checks.session import run_checks
from grader.checks.subject import Bench
from grader.course.catalog import units
from grader.course.content import installed_content
from grader.course.unit import Unit, stage_file
from grader.submission.folder import read_submission

TESTS = Path(__file__).resolve().parents[1]
CONTENT = installed_content()
UNITS = {unit.id: unit for unit in units(CONTENT)}


def kept(folder: str) -> dict[str, tuple[Unit, Path]]:
    """Return what the tests of each unit keep in a folder of this name, by a readable id."""
    return {
        f"{unit.id}-{path.stem}": (unit, path)
        for unit in UNITS.values()
        for path in sorted((TESTS / unit.folder / folder).glob("[a-z]*"))
        if not path.name.startswith("__")
    }


class Silent:
    """Hears a grade and says nothing."""

    def started(self, *_: object) -> None: ...
    def problems(self, *_: object) -> None: ...
    def evidence(self, *_: object) -> None: ...
    def note(self, *_: object) -> None: ...


LOST = {Status.NOT_MET, Status.STOPPED, Status.VOID}


def graded(
    unit: Unit,
    answer: Path,
    bench: Bench,
    folder: Path,
    *,
    until_lost: bool = False,
    only: str | None = None,
) -> tuple[Evidence, ...]:
    """Append an answer to the solution; return the evidence on the one task it is about.

    The name of an answer's file starts with the letter of its task. Its docstring says what is
    wrong, or what is unusual, about it; it does not become the stage's.

    Args:
        unit: The unit.
        answer: The answer's file.
        bench: A sandbox to run in.
        folder: For the stages.
        until_lost: Whether to end, as Ctrl-C does, with the first check that is lost.
        only: The one check of the task to run; None for all.
    """

    def look(evidence: Evidence) -> None:
        if until_lost and evidence.status in LOST:
            raise KeyboardInterrupt

    task = next(task for task in unit.tasks if task.id == f"{unit.id}.{answer.stem[0]}")
    work = folder / unit.folder
    shutil.copytree(CONTENT.solutions / unit.folder, work, ignore=shutil.ignore_patterns("faults"))
    text = answer.read_text(encoding="utf-8")
    body = "\n".join(text.splitlines()[ast.parse(text).body[0].end_lineno :])
    with (work / stage_file(task.stage)).open("a", encoding="utf-8") as file:
        file.write(f"\n\n{body}\n")
    submission = read_submission(work, unit)
    tasks = frozenset({task.id})
    run = run_checks(
        bench,
        submission,
        CONTENT.solutions,
        task.id,  # one seed, so that the reference is asked the same for all answers of a task
        tasks=tasks,
        only=only,
        on_evidence=look,
    )
    assert not run.broken
    assert run.evidence or only
    return run.evidence
