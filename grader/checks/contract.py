"""The contract of a unit's content, enforced: what `grade author check` demands.

The solution meets every check, the stubs attempt none, each known mistake is caught by the check
it names and by no other, each check catches a known mistake that nothing easier catches, the
lesson, stubs, hints and sheets agree with `unit.toml`, and what is measured for the sheet has terms
that tell one cause of a gap from another.
"""

from __future__ import annotations

import tempfile
import tomllib
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from grader.checks.diagnosis import ALSO
from grader.checks.evidence import Evidence, Status
from grader.checks.measuring import measure_fields
from grader.checks.session import CheckRun, run_checks
from grader.checks.subject import Bench
from grader.course.content import Content
from grader.course.faults import Fault, load_faults, tasks_touched, write_stages
from grader.course.stubs import regions, unit_stubs
from grader.course.unit import STAGES, Unit, stage_file
from grader.errors import CourseError, Problem, SandboxError
from grader.predictions.blank_sheet import blank_sheet
from grader.predictions.decomposition import decomposition_faults
from grader.predictions.record import make_record, measured_field
from grader.submission.folder import Submission, read_submission

SEED = "contract"


def static_problems(unit: Unit, content: Content) -> tuple[Problem, ...]:
    """Return what is wrong with a unit's files, without running anything."""
    try:
        return (
            *_stub_problems(unit, content),
            *_lesson_problems(unit),
            *_sheet_problems(unit, content),
        )
    except CourseError as error:
        return error.problems


def check_unit(
    unit: Unit,
    content: Content,
    bench: Bench,
    note: Callable[[str], None] = lambda _: None,
) -> tuple[Problem, ...]:
    """Return every breach of the contract, after running solution, stubs and known mistakes.

    Args:
        unit: The unit.
        content: Where the course lies.
        bench: A sandbox to run in.
        note: Called with a word on what is being tried.
    """
    problems = list(static_problems(unit, content))
    note("sheet")
    problems += measured_problems(bench)
    note("solution")
    solved = run_on(bench, content, content.solutions / unit.folder)
    problems += solution_problems(solved, unit)
    note("stubs")
    problems += attempt_problems(run_on(bench, content, unit.path))
    faults = load_faults(unit, content.solutions)
    for fault in faults:
        note(fault.id)
        problems += fault_problems(fault, faults, unit, content, bench)
    problems += uncaught(solved, faults)
    return tuple(problems)


def measured_problems(bench: Bench) -> Iterator[Problem]:
    """Measure the sheet and yield what is wrong with the measurements of its fields."""
    unit = bench.unit
    where = str(unit.path / "unit.toml")
    try:
        record = make_record(measure_fields(bench, SEED), SEED, {}, {})
    except SandboxError as error:
        yield Problem(where, str(error))
        return
    for field in unit.fields:
        measured = measured_field(record, field.name, field.unit)
        for fault in decomposition_faults(field, measured):
            yield Problem(where, f"field {field.name}: {fault}")
        if measured and not measured.series and record["fields"][field.name].get("series"):
            yield Problem(where, f"field {field.name}: its series is of no kind that can be shown")


def uncaught(run: CheckRun, faults: tuple[Fault, ...]) -> list[Problem]:
    """Return the checks of a run that no known mistake names: they may be unable to fail."""
    caught = {fault.check for fault in faults}
    return [
        Problem(found.check, "no known mistake is caught by this check", "write the fault")
        for found in run.evidence
        if found.check not in caught and not _is_missing(found)
    ]


def fault_problems(
    fault: Fault,
    faults: tuple[Fault, ...],
    unit: Unit,
    content: Content,
    bench: Bench,
    *,
    alone: bool = False,
) -> list[Problem]:
    """Return what is wrong with how one known mistake is caught and named.

    Args:
        fault: The mistake.
        faults: All of the unit, for what it may be taken for.
        unit: The unit.
        content: Where the course lies.
        bench: A sandbox to run in.
        alone: Whether to run its own check only, and not those that it must not fail.
    """
    with tempfile.TemporaryDirectory(prefix="fault-") as folder:
        stages = Path(folder, unit.folder)
        write_stages(unit, content.solutions, stages, fault)
        submission = read_submission(stages, unit)
        tasks = tasks_touched(fault, unit, content.solutions) | {f"{unit.id}.P"}
        only = fault.check if alone else None
        run = _checked(
            bench, submission, content, tasks=tasks, only=only, faults=faults, named={fault.check}
        )
    where = f"fault {fault.id}"
    problems = [Problem(where, broken) for broken in run.broken]
    failed = {
        found.check: found
        for found in run.evidence
        if found.status is not Status.MET and not _is_missing(found)
    }
    own = failed.pop(fault.check, None)
    # a check for a device can be tried where there is one
    if not any(found.check == fault.check and _is_missing(found) for found in run.evidence):
        problems += [Problem(where, wrong) for wrong in _own_check(fault, own)]
    problems += [
        Problem(where, f"{check} fails too: {found.message}", "sharpen the checks or list `also`")
        for check, found in failed.items()
        if check not in fault.also
    ]
    return problems


def _own_check(fault: Fault, own: Evidence | None) -> Iterator[str]:
    """Yield what is wrong with the evidence of the check that must catch a known mistake."""
    if own is None:
        yield f"{fault.check} does not catch it"
    elif own.status not in (Status.NOT_MET, Status.STOPPED):
        yield f"{fault.check} ends as {own.status}: {own.message}"
    elif own.mistake and own.mistake.removeprefix(ALSO) != fault.says:
        yield f"{fault.check} takes it for another: {own.mistake}"
    elif own.status is Status.NOT_MET and not own.mistake:
        yield f"{fault.check} catches it but does not name it"


def run_on(bench: Bench, content: Content, folder: Path) -> CheckRun:
    """Run all checks of the bench's unit on the stages in `folder`."""
    return _checked(bench, read_submission(folder, bench.unit), content)


def _checked(
    bench: Bench,
    submission: Submission,
    content: Content,
    *,
    tasks: frozenset[str] | None = None,
    only: str | None = None,
    faults: tuple[Fault, ...] = (),
    named: Collection[str] = (),
) -> CheckRun:
    """Run the checks; a run that was interrupted proves nothing, so the interrupt goes on."""
    run = run_checks(
        bench,
        submission,
        content.solutions,
        SEED,
        tasks=tasks,
        only=only,
        faults=faults,
        named=frozenset(named),
    )
    if run.interrupted:
        raise KeyboardInterrupt
    return run


def solution_problems(run: CheckRun, unit: Unit) -> Iterator[Problem]:
    """Yield what a run of the solution leaves to be desired."""
    for broken in run.broken:
        yield Problem("hidden checks", broken)
    for found in run.evidence:
        if found.status not in (Status.MET, Status.SKIPPED):
            yield Problem(found.check, f"the solution is {found.status}: {found.message}")
        if not found.title:
            yield Problem(found.check, "no docstring", "its first line is what the student reads")
        if found.row not in unit.rows:
            yield Problem(found.check, f"feeds {found.row}, which is not a row of the unit")
    for task in unit.tasks:
        if not any(found.task == task.id for found in run.evidence):
            yield Problem(task.id, "no check belongs to this task")
    levels = {(found.row, found.level) for found in run.evidence}
    for row in unit.rows:
        for level in ("pass", "strong"):
            if (row, level) not in levels and row != "prediction":
                yield Problem(row, f"no check is evidence for its {level} level")


def attempt_problems(run: CheckRun) -> Iterator[Problem]:
    """Yield each check that a run of the stubs did anything else than not attempt."""
    for found in run.evidence:
        if _is_missing(found):
            continue
        tried = found.status is not Status.NOT_ATTEMPTED
        if tried:
            yield Problem(found.check, f"the stub is {found.status}: {found.message}")
        elif not _names_a_task(found):
            yield Problem(found.check, f"the stub does not say its task: {found.message}")


def _is_missing(found: Evidence) -> bool:
    """Whether a check would only have confirmed something, on a device that is not here."""
    return found.confirms and found.status is Status.SKIPPED


def _names_a_task(found: Evidence) -> bool:
    unit = found.task.rpartition(".")[0]
    return found.message.startswith(f"{unit}.")


def _stub_problems(unit: Unit, content: Content) -> Iterator[Problem]:
    for path, text in unit_stubs(unit, content.solutions).items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            todo = f"run `grade author stubs {unit.id}`"
            yield Problem(str(path), "the stub is not what its solution gives", todo)
    for stage in STAGES:
        source = content.solutions / unit.folder / stage_file(stage)
        wanted = {task.id for task in unit.stage_tasks(stage)}
        found = regions(source.read_text(encoding="utf-8")) if source.is_file() else frozenset()
        for task in sorted(wanted - found):
            yield Problem(str(source), f"no region for {task}")
        for task in sorted(found - wanted):
            yield Problem(str(source), f"a region for {task}, which unit.toml does not list")
    if not unit.files and not any(task.closed_book for task in unit.tasks):
        yield Problem(str(unit.path / "unit.toml"), "no task is closed-book")


def _lesson_problems(unit: Unit) -> Iterator[Problem]:
    readme = unit.path / "README.md"
    text = readme.read_text(encoding="utf-8") if readme.is_file() else ""
    for task in unit.tasks:
        lines = [line for line in text.splitlines() if task.id in line]
        if not any(f"`{task.function}" in line for line in lines):
            yield Problem(str(readme), f"does not introduce `{task.function}` ({task.id})")
        if not any(f"{task.minutes} min" in line for line in lines):
            yield Problem(str(readme), f"does not say that {task.id} takes {task.minutes} min")


def _sheet_problems(unit: Unit, content: Content) -> Iterator[Problem]:
    wanted = {field.name for field in unit.fields}
    for folder in (unit.path, content.solutions / unit.folder):
        path = folder / "prediction.toml"
        try:
            found = set(tomllib.loads(path.read_text(encoding="utf-8")))
        except (OSError, tomllib.TOMLDecodeError) as error:
            yield Problem(str(path), f"cannot be read: {error}")
            continue
        if found != wanted:
            odd = ", ".join(sorted(found ^ wanted))
            yield Problem(str(path), f"its fields are not those of unit.toml: {odd}")
    path = unit.path / "prediction.toml"
    if path.is_file() and path.read_text(encoding="utf-8") != blank_sheet(unit):
        yield Problem(str(path), "is out of date", f"run `grade author stubs {unit.id}`")
