from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.checks.evidence import Status
from grader.course.unit import Unit
from grader.errors import Problem
from grader.instruments.environment import machine, versions
from grader.predictions.gap import JudgedTerm
from grader.predictions.residual import Residual, State
from grader.predictions.verdict import SealVerdict, SealWord
from grader.report.model import build_report
from grader.report.write import schema_problems
from grader.scoring.rows import Level, Row
from tests.report.conftest import circumstances, evidence


def residual(state: State = State.NOT_EXPLAINED) -> Residual:
    terms = (JudgedTerm("bias", "4 B", True), JudgedTerm("mask", "9 B", False, "it has 8 B"))
    return Residual("peak", "exact", "Peak", "4 MB", "5 MB", "+1 MB", state, "name it", terms)


TIME = "2026-03-01T12:03:00Z"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    statuses=st.lists(st.sampled_from(Status), max_size=5),
    words=st.sampled_from(SealWord),
    states=st.lists(st.sampled_from(State), max_size=3),
    levels=st.tuples(st.sampled_from(Level), st.sampled_from(Level)),
    text=st.text(),
    interrupted=st.booleans(),
)
def test_every_report_keeps_its_schema(
    unit: Unit,
    schema_path: Path,
    *,
    statuses: list[Status],
    words: SealWord,
    states: list[State],
    levels: tuple[Level, Level],
    text: str,
    interrupted: bool,
) -> None:
    report = build_report(
        unit,
        circumstances(interrupted=interrupted, **({"finished": None} if interrupted else {})),
        evidence=[evidence("a", s, message=text, got=text, output=text) for s in statuses],
        seal=SealVerdict(words, text, "0" * 64, TIME, None),
        residuals=[residual(state) for state in states],
        rows=[Row("timing", "Honest timing", *levels, (text,))],
        problems=[Problem("numpy_stage.py:3", "not valid Python", text)],
    )
    assert not schema_problems(report, schema_path)


def test_this_machine_and_its_versions_fit_the_schema(unit: Unit, schema_path: Path) -> None:
    report = build_report(unit, circumstances(versions=versions(), machine=machine()))
    assert not schema_problems(report, schema_path)
    assert report["machine"]["cores"] >= 1
    assert report["versions"]["torch"]


def test_a_report_has_what_was_found(unit: Unit) -> None:
    found = evidence("b", Status.NOT_MET, expected="2", got="1", unit="B", seconds=0.12345)
    report = build_report(
        unit,
        circumstances(),
        evidence=[found],
        seal=SealVerdict(SealWord.SEALED, "fine", "ab", TIME, TIME, 2, ("peak",)),
        residuals=[residual()],
        rows=[Row("timing", "Honest timing", Level.NONE, Level.PASS, ("why",))],
    )
    check, field, row = report["checks"][0], report["predictions"]["fields"][0], report["rows"][0]
    assert (check["id"], check["status"], check["got"]) == ("8.4.b/x", "not met", "1")
    assert check["seconds"] == 0.123
    assert report["predictions"]["seal"]["sealed_at"] == TIME
    assert report["predictions"]["seal"]["seals"] == 2
    assert report["predictions"]["seal"]["rewritten"] == ["peak"]
    assert [term["believed"] for term in field["terms"]] == [True, False]
    assert (row["level"], row["at_most"]) == ("none", "pass")
    assert report["started"] == report["finished"] is not None


def test_a_unit_whose_sheet_was_not_looked_at_has_no_predictions(unit: Unit) -> None:
    assert build_report(unit, circumstances())["predictions"] is None


@pytest.mark.parametrize("order", list(itertools.permutations("abg")))
def test_the_next_step_follows_the_lesson_not_the_order_of_evidence(
    unit: Unit, order: tuple[str, ...]
) -> None:
    states = {"a": Status.MET, "b": Status.NOT_ATTEMPTED, "g": Status.NOT_ATTEMPTED}
    report = build_report(unit, circumstances(), evidence=[evidence(x, states[x]) for x in order])
    assert report["next"] == {"task": "8.4.b", "title": "Round to bf16", "minutes": 20}


def test_new_ground_comes_before_what_was_just_shown_to_be_wrong(unit: Unit) -> None:
    found = [evidence("a", Status.NOT_MET), evidence("g", Status.NOT_ATTEMPTED)]
    assert build_report(unit, circumstances(), evidence=found)["next"]["task"] == "8.4.g"
    assert build_report(unit, circumstances(), evidence=found[:1])["next"]["task"] == "8.4.a"


def test_then_comes_the_sheet_and_then_its_gaps_and_then_nothing(unit: Unit) -> None:
    met = [evidence(letter) for letter in "abg"]
    sealed = SealVerdict(SealWord.SEALED, "", "", TIME, TIME)
    unsealed = SealVerdict(SealWord.NOT_SEALED, "")

    def after(seal: SealVerdict, *states: State) -> object:
        residuals = [residual(state) for state in states]
        step = build_report(unit, circumstances(), evidence=met, seal=seal, residuals=residuals)
        return step["next"] and step["next"]["title"]

    assert after(unsealed) == "predict, then `grade predict 8.4`"
    assert after(sealed, State.EXACT, State.NOT_EXPLAINED) == (
        "name the terms of each gap in discrepancy.toml"
    )
    assert after(sealed, State.EXACT, State.INCONCLUSIVE) is None
    text = replace(residual(State.NOT_EXPLAINED), kind="text")
    report = build_report(unit, circumstances(), evidence=met, seal=sealed, residuals=[text])
    assert report["next"] is None


def test_what_says_nothing_asks_for_nothing(unit: Unit) -> None:
    found = [evidence("a", Status.INCONCLUSIVE), evidence("b", Status.SKIPPED)]
    assert build_report(unit, circumstances(), evidence=found)["next"] is None
