"""One grade from end to end, on the toy unit: the sheet's four stories, rows, status, state."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from grader.checks.evidence import Status
from grader.errors import SandboxError, SubmissionError, UsageError
from grader.grading import GradeRequest, Outcome, grade
from tests.grading.conftest import Recorder, Workspace


def graded(work: Workspace, **changes: Any) -> Outcome:
    options: dict[str, Any] = {"state": work.root / ".grade", "seed": "abcd"} | changes
    request = GradeRequest(work.unit, work.root, **options)
    shared = None if "level" in changes else work.sandbox
    return grade(request, work.content, Recorder(), shared)


def word(outcome: Outcome) -> str:
    return str(outcome.report["predictions"]["seal"]["word"])  # type: ignore[index]


def levels(outcome: Outcome) -> dict[str, str]:
    return {row.id: str(row.level) for row in outcome.rows}


def test_a_solved_unit_with_a_sheet_sealed_before_is_strong_and_exits_with_0(
    work: Workspace,
) -> None:
    work.seal()
    outcome = graded(work)
    assert word(outcome) == "sealed"
    assert levels(outcome) == {"prediction": "strong", "timing": "strong"}
    assert outcome.status == 0
    assert json.loads(outcome.path.read_text()) == outcome.report


def test_without_a_seal_nothing_is_measured(work: Workspace) -> None:
    outcome = graded(work)
    assert word(outcome) == "not sealed"
    assert levels(outcome)["prediction"] == "none"
    assert outcome.status == 1
    assert work.ledger.entries() == ()


def test_a_sheet_sealed_after_the_measurement_is_late(work: Workspace) -> None:
    work.predict("13")
    work.seal()
    graded(work)
    work.predict("12")
    work.seal()
    outcome = graded(work)
    assert word(outcome) == "late"
    assert levels(outcome)["prediction"] == "none"


def test_a_sheet_changed_after_its_seal_is_told_and_can_be_put_back(work: Workspace) -> None:
    work.seal()
    graded(work)
    work.predict("99")
    assert word(graded(work)) == "changed"
    work.predict("12")
    assert word(graded(work)) == "sealed"


def test_the_report_counts_the_seals_and_names_what_was_rewritten(work: Workspace) -> None:
    for value in ("13", "11", "12"):
        work.predict(value)
        work.seal()
    seal = graded(work).report["predictions"]["seal"]  # type: ignore[index]
    assert (seal["word"], seal["seals"], seal["rewritten"]) == ("sealed", 3, ["elements"])


def test_digits_taken_away_after_the_seal_are_a_change(work: Workspace) -> None:
    work.predict("12.0")
    work.seal()
    work.predict("12")
    assert word(graded(work)) == "changed"


def test_an_edited_ledger_is_forged(work: Workspace) -> None:
    work.predict("13")
    work.seal()
    graded(work)
    path = work.ledger.path
    path.write_text(path.read_text().replace('"13 to', '"12 to'))
    work.predict("12")
    outcome = graded(work)
    assert word(outcome) == "forged"
    assert levels(outcome)["prediction"] == "none"


def test_a_sheet_that_is_a_link_is_not_a_file(work: Workspace, tmp_path: Path) -> None:
    work.seal()
    work.sheet.rename(tmp_path / "elsewhere.toml")
    work.sheet.symlink_to(tmp_path / "elsewhere.toml")
    assert word(graded(work)) == "not a file"


def test_a_wrong_prediction_passes_and_a_named_gap_is_strong(work: Workspace) -> None:
    work.predict("8")
    work.seal()
    assert levels(graded(work))["prediction"] == "pass"
    explanation = work.sheet.with_name("discrepancy.toml")
    explanation.write_text('[elements]\nterms = [{ name = "one column", amount = "3" }]\n')
    assert levels(graded(work))["prediction"] == "pass"
    explanation.write_text('[elements]\nterms = [{ name = "one row", amount = "-4" }]\n')
    assert levels(graded(work))["prediction"] == "pass"
    explanation.write_text('[elements]\nterms = [{ name = "one row", amount = "4" }]\n')
    assert levels(graded(work))["prediction"] == "strong"


def test_a_malformed_sheet_or_explanation_is_a_problem_and_not_a_crash(work: Workspace) -> None:
    work.seal()
    work.sheet.with_name("discrepancy.toml").write_text("[nope]\n")
    assert any("nope" in p["seen"] for p in graded(work).report["problems"])  # type: ignore[attr-defined]
    work.sheet.write_text("elements = 3 apples\n")
    outcome = graded(work)
    assert word(outcome) == "changed"
    assert any("prediction.toml" in p["where"] for p in outcome.report["problems"])  # type: ignore[attr-defined]


def test_measuring_is_done_once_and_judged_from_the_record(work: Workspace) -> None:
    work.seal()
    graded(work)
    before = work.ledger.path.read_bytes()
    graded(work)
    assert work.ledger.path.read_bytes() == before


def test_the_work_of_others_is_graded_without_writing_into_it(
    work: Workspace, tmp_path: Path
) -> None:
    work.seal()
    before = {p: p.read_bytes() for p in work.root.rglob("*") if p.is_file()}
    state = tmp_path / "mine"
    outcome = graded(work, state=state, own=False)
    assert {p: p.read_bytes() for p in work.root.rglob("*") if p.is_file()} == before
    assert outcome.path.is_relative_to(state)
    assert levels(outcome)["prediction"] == "strong"


def test_a_measurement_that_somebody_else_wrote_is_not_believed(
    work: Workspace, tmp_path: Path
) -> None:
    work.predict("8")
    work.seal()
    sheet = work.ledger.entries()[0].sheet
    forged = {"fields": {"elements": {"value": 8, "terms": {}}}}
    work.ledger.append("measurement", "9.1", sheet, forged)
    assert levels(graded(work, state=tmp_path / "mine", own=False))["prediction"] == "pass"


def test_one_task_is_checked_alone_and_no_row_is_claimed(work: Workspace) -> None:
    outcome = graded(work, task="a")
    assert [found.task for found in outcome.evidence] == ["9.1.a"]
    assert outcome.rows == ()
    assert outcome.status == 0
    with pytest.raises(UsageError, match="it has a, b, sheet"):
        graded(work, task="z")


def test_the_work_of_others_is_not_graded_unconfined_by_accident(work: Workspace) -> None:
    work.seal()
    with pytest.raises(SandboxError, match="--unconfined"):
        graded(work, own=False, level=0, state=work.root / "state")
    outcome = graded(work, own=False, level=0, unconfined=True, state=work.root / "state")
    assert outcome.report["confinement"]["practice"] is True  # type: ignore[index]


def test_an_interrupt_keeps_a_report_that_says_so(
    work: Workspace,
) -> None:
    class Impatient(Recorder):
        def evidence(self, evidence: Any) -> None:
            super().evidence(evidence)
            raise KeyboardInterrupt

    request = GradeRequest(work.unit, work.root, work.root / ".grade")
    outcome = grade(request, work.content, Impatient(), work.sandbox)
    assert outcome.interrupted
    assert outcome.status == 3
    kept = json.loads(outcome.path.read_text())
    assert kept["interrupted"] is True
    assert len(kept["checks"]) >= 1
    assert all(row["level"] == "none" for row in kept["rows"])


def test_a_fault_of_the_grader_is_no_judgement(work: Workspace, tmp_path: Path) -> None:
    outcome = graded(work)
    assert Status.FAULT not in {found.status for found in outcome.evidence}
    with pytest.raises(SubmissionError, match="no such folder"):
        grade(
            GradeRequest(work.unit, tmp_path / "nowhere", tmp_path / "s"), work.content, Recorder()
        )


def test_the_sheet_alone_is_judged_when_asked_for(work: Workspace) -> None:
    work.predict("13")
    work.seal()
    outcome = graded(work, task="sheet")
    assert {found.task for found in outcome.evidence} == {"9.1.P"}
    assert outcome.report["predictions"]["fields"][0]["measured"] == "12"  # type: ignore[index]
    assert outcome.path.name == "9.1.sheet.json"
