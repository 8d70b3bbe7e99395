"""A unit of the course as data, read from its `unit.toml` with all problems at once."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.errors import CourseError, Problem

ROWS = ("prediction", "timing", "fault_repair", "optimization_validity", "resume")
STAGES = ("numpy", "torch")
FIELD_KINDS = ("exact", "band", "choice", "text")
HINTS_A_TASK = 3


@dataclass(frozen=True, slots=True)
class Task:
    """One function to write.

    Attributes:
        id: For example ``8.9.a``.
        stage: ``numpy`` or ``torch``; names the file that holds the function.
        function: Name of the function the student fills in.
        title: What the function does, for lists and headings.
        minutes: Time it should take [min].
        row: Rubric row that the task feeds first.
        hints: Three hints, from a nudge to nearly the answer.
        closed_book: Whether it is the unit's task to be done without notes.
    """

    id: str
    stage: str
    function: str
    title: str
    minutes: int
    row: str
    hints: tuple[str, ...]
    closed_book: bool = False

    @property
    def letter(self) -> str:
        """The part of the id after the unit's number."""
        return self.id.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class SheetField:
    """One line of the prediction sheet.

    Attributes:
        name: Key in `prediction.toml`.
        kind: ``exact``, ``band`` (relative half-width `band`), ``choice`` or ``text``.
        title: The question.
        unit: ``B``, ``FLOP``, ``s``, ``%`` or ``1``; empty for choices and text.
        choices: The words a choice may be.
        terms: Names of the causes that may account for a gap; for a text, what it may name.
        measure: Function of the unit's probes that measures it, and the size of each term.
        band: Relative half-width within which a banded prediction counts as right.
    """

    name: str
    kind: str
    title: str
    unit: str = ""
    choices: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    measure: str = ""
    band: float = 0.0


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: its tasks, sheet and place on disk.

    Attributes:
        files: What is handed in beside the stages and the sheet; a unit that asks for files is a
            project. Python files are for the workers, TOML files are for the checks.
        measures_beside: Whether the sheet asks about the student's own code, so that it is measured
            beside that.
    """

    id: str
    title: str
    hours: float
    verbs: tuple[str, ...]
    rows: tuple[str, ...]
    tasks: tuple[Task, ...]
    fields: tuple[SheetField, ...]
    preload: tuple[str, ...]
    path: Path
    files: tuple[str, ...] = ()
    measures_beside: bool = False

    @property
    def folder(self) -> str:
        """Name of the unit's folder, the same in exercises, solutions and a submission."""
        return self.path.name

    @property
    def hidden(self) -> Path:
        """Folder of the probes and hidden checks."""
        return self.path / "hidden"

    @property
    def probes(self) -> Path | None:
        """The probes, which run beside the stage in the worker: a file or a package."""
        places = (self.hidden / "probes", self.hidden / "probes.py")
        return next((place for place in places if place.exists()), None)

    def task(self, task_id: str) -> Task:
        """Return the task with this id; raises `KeyError` if there is none."""
        for task in self.tasks:
            if task.id == task_id:
                return task
        raise KeyError(task_id)

    def stage_of(self, task_id: str) -> str:
        """Return the stage of a task; checks of the sheet itself belong to the torch stage."""
        return next((task.stage for task in self.tasks if task.id == task_id), "torch")

    def stage_tasks(self, stage: str) -> tuple[Task, ...]:
        """Return the tasks of one stage in their order."""
        return tuple(task for task in self.tasks if task.stage == stage)


def stage_file(stage: str) -> str:
    """Return the file name of a stage, ``numpy_stage.py`` or ``torch_stage.py``."""
    return f"{stage}_stage.py"


def load_unit(folder: Path) -> Unit:
    """Read `folder`/unit.toml.

    Raises:
        CourseError: with every problem of the file.
    """
    path = folder / "unit.toml"
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CourseError(Problem(str(path), f"cannot be read: {error}")) from error
    reader = _Reader(str(path))
    unit = Unit(
        id=reader.text(data, "id", "the unit"),
        title=reader.text(data, "title", "the unit"),
        hours=float(data.get("hours", 0)),
        verbs=tuple(data.get("verbs", ())),
        rows=reader.words(data, "rows", ROWS, "the unit"),
        tasks=tuple(reader.task(item) for item in data.get("task", ())),
        fields=tuple(reader.field(item) for item in data.get("field", ())),
        preload=tuple(data.get("preload", ())),
        path=folder,
        files=tuple(data.get("files", ())),
        measures_beside=bool(data.get("measures_beside", False)),
    )
    reader.check_ids(unit)
    if reader.problems:
        raise CourseError(reader.problems)
    return unit


class _Reader:
    """Collects problems while turning TOML tables into records."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.problems: list[Problem] = []

    def complain(self, seen: str, todo: str = "") -> None:
        self.problems.append(Problem(self.where, seen, todo))

    def text(self, table: Mapping[str, Any], key: str, owner: str) -> str:
        value = table.get(key)
        if not isinstance(value, str) or not value:
            self.complain(f"{owner} has no `{key}`")
            return "?"
        return value

    def words(
        self, table: Mapping[str, Any], key: str, allowed: Sequence[str], owner: str
    ) -> tuple[str, ...]:
        values = tuple(table.get(key, ()))
        for value in values:
            if value not in allowed:
                self.complain(f"{owner}: `{key}` has {value!r}", f"use {', '.join(allowed)}")
        return values

    def task(self, table: Mapping[str, Any]) -> Task:
        owner = f"task {table.get('id', '?')}"
        hints = tuple(table.get("hints", ()))
        if len(hints) != HINTS_A_TASK:
            self.complain(f"{owner} has {len(hints)} hints", f"write {HINTS_A_TASK}")
        minutes = table.get("minutes")
        if not isinstance(minutes, int) or minutes <= 0:
            self.complain(f"{owner} has no `minutes`")
        self.words({"stage": [table.get("stage")]}, "stage", STAGES, owner)
        self.words({"row": [table.get("row")]}, "row", ROWS, owner)
        return Task(
            id=self.text(table, "id", owner),
            stage=str(table.get("stage")),
            function=self.text(table, "function", owner),
            title=self.text(table, "title", owner),
            minutes=minutes if isinstance(minutes, int) else 0,
            row=str(table.get("row")),
            hints=hints,
            closed_book=bool(table.get("closed_book", False)),
        )

    def field(self, table: Mapping[str, Any]) -> SheetField:
        owner = f"field {table.get('name', '?')}"
        kind = table.get("kind")
        self.words({"kind": [kind]}, "kind", FIELD_KINDS, owner)
        if not table.get("measure"):
            self.complain(f"{owner} names no `measure`")
        if kind == "text" and not table.get("terms"):
            self.complain(f"{owner} is a text without `terms`", "say what it may name")
        if kind == "choice" and len(table.get("choices", ())) < 2:
            self.complain(f"{owner} is a choice of fewer than two")
        return SheetField(
            name=self.text(table, "name", owner),
            kind=str(kind),
            title=self.text(table, "title", owner),
            unit=str(table.get("unit", "")),
            choices=tuple(table.get("choices", ())),
            terms=tuple(table.get("terms", ())),
            measure=str(table.get("measure", "")),
            band=float(table.get("band", 0.0)),
        )

    def check_ids(self, unit: Unit) -> None:
        names = [task.id for task in unit.tasks] + [field.name for field in unit.fields]
        for name in {name for name in names if names.count(name) > 1}:
            self.complain(f"{name} appears more than once")
        for task in unit.tasks:
            if not task.id.startswith(f"{unit.id}."):
                self.complain(f"task {task.id} does not start with the unit's id {unit.id}")
            if task.row not in unit.rows:
                self.complain(f"task {task.id} feeds {task.row}", "add it to the unit's `rows`")
