"""Whether somebody is ready for the capstone: a pure function of the units and what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grader.course.unit import Unit
from grader.report.history import tasks_done
from grader.report.judgement import row_words

MINUTES_FOR_SHEET = 15
MINUTES_FOR_GAPS = 10
MINUTES_FOR_QUESTION = 2
MINUTES_FOR_ROW = 20
_ENOUGH = ("pass", "strong")


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of somebody's work on one unit.

    Attributes:
        reports: Its reports, oldest first; a report of one task is among them.
        digest: Digest of the files as they are now; empty when they cannot be read.
        selftest: Answers that are right, and questions; None for a unit without a self-test.
    """

    reports: Sequence[Mapping[str, Any]] = ()
    digest: str = ""
    selftest: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """Something to do: what it is, the command for it, and the time it should take [min]."""

    what: str
    command: str
    minutes: int


@dataclass(frozen=True, slots=True)
class UnitState:
    """How far one unit has come.

    Attributes:
        id: Id of the unit.
        title: Its title.
        done: Tasks done.
        tasks: Tasks there are.
        sheet: What the ledger said of the sheet; empty when nobody asked.
        selftest: Answers that are right, and questions; None without a self-test.
        rows: What each row of the unit has reached, in words; empty when it was not graded.
        steps: What is missing, in the order in which to do it.
    """

    id: str
    title: str
    done: int
    tasks: int
    sheet: str
    selftest: tuple[int, int] | None
    rows: Mapping[str, str]
    steps: tuple[Step, ...]

    @property
    def minutes(self) -> int:
        """Time that what is missing should take [min]."""
        return sum(step.minutes for step in self.steps)


def unit_state(unit: Unit, known: Known) -> UnitState:
    """Return how far a unit has come, and what is missing.

    A unit is ready when its tasks are done, its sheet was sealed before the measurement, each of
    its rows is a pass at least, the self-test is right, and the files are those that were graded.
    """
    done = tasks_done([dict(report) for report in known.reports])
    whole = _latest_whole(unit, known.reports)
    predictions = (whole or {}).get("predictions") or {}
    sheet = str(predictions.get("seal", {}).get("word", "")) if predictions else ""
    rows = {
        row["id"]: row_words(row["level"], row["at_most"]) for row in (whole or {}).get("rows", ())
    }
    steps = [
        Step(task.title, f"grade unit {unit.id} --task {task.letter}", task.minutes)
        for task in unit.tasks
        if task.id not in done
    ]
    grade = f"grade unit {unit.id}"
    if unit.fields and sheet in ("", "not sealed"):
        steps.append(Step("predict and seal", f"grade predict {unit.id}", MINUTES_FOR_SHEET))
    if whole is None:
        steps.append(Step("grade the whole unit", grade, 1))
    elif not steps:
        steps += _after_grading(unit, whole, known, grade)
    if known.selftest is not None and known.selftest[0] < known.selftest[1]:
        left = known.selftest[1] - known.selftest[0]
        words = f"self-test: {left} of {known.selftest[1]} questions to go"
        steps.append(Step(words, f"grade selftest {unit.id}", left * MINUTES_FOR_QUESTION))
    count = sum(task.id in done for task in unit.tasks)
    return UnitState(
        unit.id, unit.title, count, len(unit.tasks), sheet, known.selftest, rows, tuple(steps)
    )


def _after_grading(unit: Unit, whole: Mapping[str, Any], known: Known, grade: str) -> list[Step]:
    """Return what is missing although every task is done and the unit was graded."""
    if known.digest and whole["submission"]["digest"] != known.digest:
        return [Step("grade again: the files have changed since", grade, 1)]
    if whole["interrupted"]:
        return [Step("grade again: the last run was interrupted", grade, 1)]
    if whole["predictions"] and any(
        field["state"] == "not explained" for field in whole["predictions"]["fields"]
    ):
        return [Step("explain the gaps in discrepancy.toml", grade, MINUTES_FOR_GAPS)]
    low = [row for row in whole["rows"] if row["at_most"] not in _ENOUGH]
    unknown = [row for row in whole["rows"] if row["level"] not in _ENOUGH and row not in low]
    steps = [
        Step(f"raise {row['title'].lower()}: {_why(row)}", grade, MINUTES_FOR_ROW) for row in low
    ]
    if unknown and not low:
        names = ", ".join(row["title"].lower() for row in unknown)
        steps.append(Step(f"grade again: not yet known is {names}", grade, 1))
    return steps


def _why(row: Mapping[str, Any]) -> str:
    """Return what holds a row back: the first reason that is not the count."""
    reasons = [str(reason) for reason in row["reasons"]]
    return next((reason for reason in reasons if not reason.startswith("Met:")), "see the report")


def _latest_whole(unit: Unit, reports: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Return the latest report of the whole unit; one of a single task scores no rows."""
    whole = [report for report in reports if report.get("unit") == unit.id and report.get("rows")]
    return whole[-1] if whole else None
