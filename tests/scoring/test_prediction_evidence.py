"""Evidence of the prediction row: two pieces for each field of the sheet."""

from pathlib import Path

import pytest

from grader.course.unit import SheetField, Unit
from grader.predictions.residual import Residual, State
from grader.predictions.verdict import SealVerdict, SealWord
from grader.scoring.prediction_evidence import prediction_evidence

SEALED = SealVerdict(SealWord.SEALED, "sealed before")


def unit_with(*fields):
    return Unit("8.9", "A unit", 1, (), ("prediction",), (), fields, (), Path("u89_profiling"))


UNIT = unit_with(
    SheetField("peak", "exact", "Bytes at the peak", "B"), SheetField("why", "text", "Why")
)


def residual(field, state, predicted="1 B", message=""):
    return Residual(field, "exact", "Title", predicted, "2 B", "+1 B", state, message)


def statuses(seal, *residuals):
    return {e.check: str(e.status) for e in prediction_evidence(UNIT, seal, residuals)}


def test_each_field_gives_pass_and_strong_evidence_of_the_sheets_task():
    found = prediction_evidence(UNIT, SEALED, ())
    assert [(e.check, e.level) for e in found] == [
        ("8.9.P/peak", "pass"),
        ("8.9.P/peak/explained", "strong"),
        ("8.9.P/why", "pass"),
        ("8.9.P/why/explained", "strong"),
    ]
    assert {e.task for e in found} == {"8.9.P"}
    assert {e.row for e in found} == {"prediction"}


@pytest.mark.parametrize(
    ("state", "status"),
    [
        (State.EXACT, "met"),
        (State.WITHIN_BAND, "met"),
        (State.EXPLAINED, "met"),
        (State.FOR_A_PERSON, "met"),
        (State.NOT_EXPLAINED, "not met"),
        (State.INCONCLUSIVE, "inconclusive"),
    ],
)
def test_the_state_of_a_residual_decides_the_strong_evidence_alone(state, status):
    found = statuses(SEALED, residual("peak", state))
    assert found["8.9.P/peak"] == "met"
    assert found["8.9.P/peak/explained"] == status


@pytest.mark.parametrize(
    "word", [SealWord.LATE, SealWord.CHANGED, SealWord.FORGED, SealWord.NOT_A_FILE]
)
def test_nothing_counts_without_a_seal_that_holds(word):
    seal = SealVerdict(word, "the reason")
    found = prediction_evidence(UNIT, seal, [residual("peak", State.EXACT)])
    assert {str(e.status) for e in found} == {"not met"}
    assert {e.message for e in found} == {"the reason"}


def test_a_sheet_that_was_never_sealed_is_not_attempted():
    seal = SealVerdict(SealWord.NOT_SEALED, "grade predict 8.9")
    assert set(statuses(seal, residual("peak", State.EXACT)).values()) == {"not attempted"}


def test_a_blank_field_is_not_attempted_at_both_levels():
    found = statuses(SEALED, residual("peak", State.NOT_EXPLAINED, predicted=""))
    assert found["8.9.P/peak"] == "not attempted"
    assert found["8.9.P/peak/explained"] == "not attempted"


def test_what_was_not_measured_yet_is_sealed_and_inconclusive():
    found = statuses(SEALED)
    assert found["8.9.P/peak"] == "met"
    assert found["8.9.P/peak/explained"] == "inconclusive"


def test_texts_that_pass_the_machine_are_for_a_person_and_numbers_are_not():
    found = prediction_evidence(
        UNIT, SEALED, [residual("peak", State.EXACT), residual("why", State.FOR_A_PERSON)]
    )
    assert [e.check for e in found if e.person] == ["8.9.P/why/explained"]


def test_a_text_that_the_machine_refuses_needs_no_reader():
    found = prediction_evidence(UNIT, SEALED, [residual("why", State.NOT_EXPLAINED)])
    assert not any(e.person for e in found)


def test_the_gap_is_shown_as_expected_and_got_with_the_reason():
    found = prediction_evidence(
        UNIT, SEALED, [residual("peak", State.NOT_EXPLAINED, message="name its terms")]
    )
    gap = found[1]
    assert (gap.expected, gap.got, gap.message) == ("2 B", "1 B", "name its terms")
