"""What a student should do next: a pure function of what one grade found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from grader.checks.evidence import Evidence, Status

if TYPE_CHECKING:
    from grader.course.unit import Task, Unit
    from grader.predictions.residual import Residual
    from grader.predictions.verdict import SealVerdict

SHEET_TASK = "P"
_MINUTES_TO_SEAL = 15
_MINUTES_TO_EXPLAIN = 10


def next_step(
    unit: Unit,
    evidence: Sequence[Evidence],
    seal: SealVerdict | None,
    residuals: Sequence[Residual],
) -> dict[str, Any] | None:
    """Return the next step as ``{task, title, minutes}``, None when nothing is left.

    New ground comes first, in the order of the lesson: the report has just shown what is wrong
    with tasks already begun. Then those, then the sheet, then the gaps it left.
    """
    begun, untouched = _open_tasks(unit, evidence)
    for task in (*untouched, *begun):
        return {"task": task.id, "title": task.title, "minutes": task.minutes}
    sheet = f"{unit.id}.{SHEET_TASK}"
    if seal is not None and unit.fields and seal.word == "not sealed":
        title = f"predict, then `grade predict {unit.id}`"
        return {"task": sheet, "title": title, "minutes": _MINUTES_TO_SEAL}
    # a text stands as it was sealed
    if any(found.state == "not explained" and found.kind != "text" for found in residuals):
        title = "name the terms of each gap in discrepancy.toml"
        return {"task": sheet, "title": title, "minutes": _MINUTES_TO_EXPLAIN}
    return None


def _open_tasks(unit: Unit, evidence: Sequence[Evidence]) -> tuple[list[Task], list[Task]]:
    """Return the tasks that are begun but not met, and those not attempted."""
    begun, untouched = [], []
    for task in unit.tasks:
        seen = {found.status for found in evidence if found.task == task.id}
        against = {status for status in seen if status.counts_against}
        if against == {Status.NOT_ATTEMPTED}:
            untouched.append(task)
        elif against:
            begun.append(task)
    return begun, untouched
