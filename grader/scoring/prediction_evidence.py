"""Evidence for the prediction row, from the seal's verdict and the residuals: a pure function."""

from __future__ import annotations

from collections.abc import Sequence

from grader.checks.evidence import Evidence, Status
from grader.course.unit import SheetField, Unit
from grader.predictions.residual import Residual, State
from grader.predictions.verdict import SealVerdict, SealWord

ROW = "prediction"
SHEET_TASK = "P"

_STATUS_OF = {
    State.EXACT: Status.MET,
    State.WITHIN_BAND: Status.MET,
    State.EXPLAINED: Status.MET,
    State.FOR_A_PERSON: Status.MET,
    State.NOT_EXPLAINED: Status.NOT_MET,
    State.INCONCLUSIVE: Status.INCONCLUSIVE,
}


def prediction_evidence(
    unit: Unit, seal: SealVerdict, residuals: Sequence[Residual]
) -> tuple[Evidence, ...]:
    """Return two pieces of evidence for each field of the sheet.

    Pass: the field was filled in and sealed before the measurement. Strong: the prediction was
    exact or within its band, or its gap is explained. A field without residual is inconclusive
    as far as its gap goes.

    Args:
        unit: The unit.
        seal: What the ledger says about the sheet.
        residuals: The fields that were judged, in any order.
    """
    judged = {residual.field: residual for residual in residuals}
    found: list[Evidence] = []
    for field in unit.fields:
        residual = judged.get(field.name)
        found += [_sealed(unit, field, seal, residual), _explained(unit, field, seal, residual)]
    return tuple(found)


def _sealed(
    unit: Unit, field: SheetField, seal: SealVerdict, residual: Residual | None
) -> Evidence:
    status, message = _standing(seal, residual)
    return Evidence(
        check=f"{unit.id}.{SHEET_TASK}/{field.name}",
        task=f"{unit.id}.{SHEET_TASK}",
        title=f"Filled in and sealed before measuring: {field.title}",
        row=ROW,
        level="pass",
        status=status,
        message=message,
    )


def _explained(
    unit: Unit, field: SheetField, seal: SealVerdict, residual: Residual | None
) -> Evidence:
    status, message = _standing(seal, residual)
    if status is Status.MET and residual is None:
        status, message = Status.INCONCLUSIVE, "it was not measured"
    elif status is Status.MET and residual is not None:
        status, message = _STATUS_OF[residual.state], residual.message
    return Evidence(
        check=f"{unit.id}.{SHEET_TASK}/{field.name}/explained",
        task=f"{unit.id}.{SHEET_TASK}",
        title=f"Right, or its gap is explained: {field.title}",
        row=ROW,
        level="strong",
        status=status,
        message=message,
        expected=residual.measured_text if residual is not None else "",
        got=residual.predicted_text if residual is not None else "",
        person=field.kind == "text" and status is Status.MET,
    )


def _standing(seal: SealVerdict, residual: Residual | None) -> tuple[Status, str]:
    """Say whether a field counts as predicted before it was measured."""
    is_blank = residual is not None and not residual.predicted_text
    if seal.word == SealWord.NOT_SEALED:
        return Status.NOT_ATTEMPTED, seal.message
    if seal.word != SealWord.SEALED:
        return Status.NOT_MET, seal.message
    if is_blank:
        return Status.NOT_ATTEMPTED, "it was left blank"
    return Status.MET, ""
