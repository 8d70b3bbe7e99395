"""One prediction held against its measurement: what is left, and whether it is explained. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from grader.course.unit import SheetField
from grader.predictions.discrepancy import DISCREPANCY_FILE, Explanation, term_names
from grader.predictions.gap import JudgedTerm, equal, judge_gap, within
from grader.predictions.quantity import show
from grader.predictions.record import Measured
from grader.predictions.sentence import fault_in_choice, fault_in_text
from grader.predictions.series import Series
from grader.predictions.sheet import Entry


class State(StrEnum):
    """The judgement on one field."""

    EXACT = "exact"
    WITHIN_BAND = "within band"
    EXPLAINED = "explained"
    NOT_EXPLAINED = "not explained"
    INCONCLUSIVE = "inconclusive"
    FOR_A_PERSON = "for a person"


@dataclass(frozen=True, slots=True)
class Numbers:
    """A prediction and its measurement as numbers of one `unit`."""

    unit: str
    predicted: int | float
    measured: int | float


@dataclass(frozen=True, slots=True)
class Residual:
    """One field of the sheet, judged.

    Attributes:
        field: Name of the field.
        kind: ``exact``, ``band``, ``choice`` or ``text``.
        title: The question.
        predicted_text: What the sheet says, as the student wrote it; empty when blank.
        measured_text: What was measured, for a text the number of each name; empty if nothing.
        residual_text: Measured minus predicted; empty when there is none.
        state: The judgement.
        message: What to do, or why it is so.
        terms: The terms the student named.
        numbers: Prediction and measurement of a field that asks for a number, if there are both.
        series: What was seen beyond the value; None while a gap waits to be explained, since it
            may hold the very number that the explanation must give.
    """

    field: str
    kind: str
    title: str
    predicted_text: str
    measured_text: str
    residual_text: str
    state: State
    message: str = ""
    terms: tuple[JudgedTerm, ...] = ()
    numbers: Numbers | None = None
    series: Series | None = None


def judge(
    field: SheetField,
    entry: Entry | None,
    measured: Measured | None,
    explanation: Explanation | None = None,
) -> Residual:
    """Judge one field of the sheet.

    Args:
        field: The field.
        entry: What the sheet says; None if it is blank.
        measured: What was measured; None if nothing was.
        explanation: What the student says about the gap.
    """
    found = Residual(
        field=field.name,
        kind=field.kind,
        title=field.title,
        predicted_text=entry.text if entry is not None else "",
        measured_text=_measured_text(field, measured),
        residual_text="",
        state=State.INCONCLUSIVE,
    )
    if entry is None:
        return replace(found, state=State.NOT_EXPLAINED, message="it was left blank")
    if measured is None or (measured.value is None and field.kind != "text"):
        note = measured.note if measured is not None else ""
        return replace(found, message=note or "it was not measured")
    explanation = explanation or Explanation(field.name)
    judges = {"text": _judge_text, "choice": _judge_choice}
    found = judges.get(field.kind, _judge_number)(found, field, entry, measured, explanation)
    return found if found.state == State.NOT_EXPLAINED else replace(found, series=measured.series)


def _judge_number(
    found: Residual, field: SheetField, entry: Entry, measured: Measured, explanation: Explanation
) -> Residual:
    value, predicted = measured.value, entry.quantity
    if isinstance(value, str) or value is None or predicted is None:
        return replace(found, message="the measurement gave no number")
    found = replace(found, numbers=Numbers(field.unit, predicted.value, value))
    if equal(value, predicted.value):
        return replace(found, state=State.EXACT)
    is_band = field.kind == "band"
    shown = show(value - predicted.value, field.unit, signed=True)
    # a difference of two shares is not a share of either
    found = replace(found, residual_text=shown.replace("%", "points"))
    if is_band and within(predicted.value, value, field.band):
        note = f"right within {100 * field.band:g} % of the measured value"
        return replace(found, state=State.WITHIN_BAND, message=note)
    fault, terms = judge_gap(value, predicted, measured.terms, explanation.terms, is_band=is_band)
    if not fault:
        return replace(found, state=State.EXPLAINED, terms=terms)
    names = ", ".join(term_names(field))
    return replace(
        found, state=State.NOT_EXPLAINED, message=f"{fault}; its names: {names}", terms=terms
    )


def _judge_choice(
    found: Residual, field: SheetField, entry: Entry, measured: Measured, explanation: Explanation
) -> Residual:
    truth = str(measured.value)
    accepts = measured.accepts or (truth,)
    rejects = measured.rejects if measured.accepts or measured.rejects else field.choices
    if entry.text in accepts:
        if len(accepts) == 1:
            return replace(found, state=State.EXACT)
        note = f"accepted: {' and '.join(accepts)} are not told apart"
        return replace(found, state=State.EXACT, measured_text=" or ".join(accepts), message=note)
    if entry.text not in rejects:
        return replace(found, message=measured.note or "the measurement is too close to say")
    found = replace(found, residual_text=f"measured: {truth}")
    if not any(measured.terms.get(name) for name in (truth, *field.terms)):
        return replace(found, message="nothing was measured that an explanation could repeat")
    fault = fault_in_choice(
        explanation.because, truth, entry.text, field.choices, field.terms, measured.terms
    )
    if not fault:
        return replace(found, state=State.EXPLAINED)
    seen = f"; what was seen: {measured.note}" if measured.note else ""
    place = f"`because` in {DISCREPANCY_FILE}"
    return replace(found, state=State.NOT_EXPLAINED, message=f"{fault} ({place}){seen}")


def _judge_text(
    found: Residual, field: SheetField, entry: Entry, measured: Measured, explanation: Explanation
) -> Residual:
    if not measured.terms:
        return replace(found, message=measured.note or "nothing was measured that it could repeat")
    fault = fault_in_text(entry.text, field.terms, measured.terms)
    return replace(found, state=State.NOT_EXPLAINED if fault else State.FOR_A_PERSON, message=fault)


def _measured_text(field: SheetField, measured: Measured | None) -> str:
    if field.kind == "text" and measured is not None:
        sizes = (f"{name} {show(size, field.unit)}" for name, size in measured.terms.items())
        return ", ".join(sizes)
    value = measured.value if measured is not None else None
    if value is None:
        return ""
    return value if isinstance(value, str) else show(value, field.unit)
