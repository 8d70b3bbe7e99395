"""The whole sheet held against the records that were measured under its seal. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grader.course.unit import SheetField, Unit
from grader.predictions.discrepancy import Explanation
from grader.predictions.record import Record, measured_field
from grader.predictions.residual import Residual, State, judge
from grader.predictions.sheet import Entry, Sheet


def judge_sheet(
    unit: Unit,
    sheet: Sheet | None,
    records: Sequence[Record],
    explanations: Mapping[str, Explanation],
) -> tuple[Residual, ...]:
    """Judge every field of a unit's sheet, in the unit's order.

    Args:
        unit: The unit.
        sheet: Its sheet; None if there is none that can be read.
        records: What `record.records_under` found, oldest first. Each field is judged by the first
            record that is conclusive about it, by the last if none is.
        explanations: What `discrepancy.toml` says, by field.
    """
    entries: Mapping[str, Entry] = sheet.entries if sheet is not None else {}
    return tuple(
        _judge_field(field, entries.get(field.name), records, explanations.get(field.name))
        for field in unit.fields
    )


def to_measure_again(residuals: Sequence[Residual]) -> tuple[str, ...]:
    """Return the fields for which another record may be asked: the inconclusive ones alone."""
    return tuple(found.field for found in residuals if found.state == State.INCONCLUSIVE)


def _judge_field(
    field: SheetField,
    entry: Entry | None,
    records: Sequence[Record],
    explanation: Explanation | None,
) -> Residual:
    found = judge(field, entry, None, explanation)
    for record in records:
        measured = measured_field(record, field.name, field.unit)
        if measured is None:
            continue
        found = judge(field, entry, measured, explanation)
        if found.state != State.INCONCLUSIVE:
            break
    return found
