from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.checks.evidence import Evidence, Status
from grader.course.unit import Unit
from grader.predictions.gap import JudgedTerm
from grader.predictions.residual import Residual, State
from grader.predictions.verdict import SealVerdict, SealWord
from grader.report.model import build_report
from grader.report.terminal import TerminalReport
from grader.scoring.rows import Level, Row
from tests.report.conftest import HINTS, Screen, circumstances, evidence

Show = Callable[..., Screen]
TIME = "2026-03-01T12:03:00Z"


@pytest.fixture
def show(unit: Unit, screen: Callable[[int], Screen]) -> Show:
    """Show one grade as it would happen, and return the screen."""

    def play(
        found: Sequence[Evidence] = (), width: int = 80, hints: int = 1, **more: Any
    ) -> Screen:
        made = screen(width)
        report = TerminalReport(made.console, unit, hints)
        report.header()
        report.started("7f3a", {"torch": "2.13.0"}, "confined (level 2)")
        for item in found:
            report.evidence(item)
        now = circumstances(interrupted=more.pop("interrupted", False))
        report.finish(build_report(unit, now, evidence=found, **more), ".grade/reports/8.4.json")
        return made

    return play


def column(text: str, words: str) -> int:
    return next(line.index(words) for line in text.splitlines() if words in line)


def test_the_head_says_what_runs_where(show: Show) -> None:
    seen = show().words
    assert seen.startswith("8.4 Precision formats, autocast and gradient scaling seed 7f3a")
    assert "torch 2.13.0" in seen
    assert "confined (level 2)" in seen


def test_checks_stand_under_their_stage_in_columns(show: Show) -> None:
    text = show([evidence("a"), evidence("b", Status.NOT_MET), evidence("g")]).text
    stages = [line.strip() for line in text.splitlines() if line.strip().endswith("stage")]
    assert stages == ["NumPy stage", "PyTorch stage"]
    assert len({column(text, f"What {letter} promises") for letter in "abg"}) == 1
    assert len({column(text, f"8.4.{letter}  ") for letter in "abg"}) == 1


@pytest.mark.parametrize("status", list(Status))
def test_every_status_is_a_word_and_not_only_a_colour(show: Show, status: Status) -> None:
    assert re.search(rf"^    {status.value} +8\.4\.a", show([evidence("a", status)]).text, re.M)


def test_a_check_not_met_shows_values_gap_mistake_and_the_first_hint(show: Show) -> None:
    found = evidence(
        "b",
        Status.NOT_MET,
        message="the result is not as expected: 0.8 % low.",
        expected="1.0078125",
        got="1.0",
        mistake="This is what dropping the low 16 bits gives.",
    )
    seen = show([found]).words
    assert "expected 1.0078125 got 1.0 (0.8 % low)" in seen
    assert "This is what dropping the low 16 bits gives." in seen
    assert f"hint 1 of 3: {HINTS[0]}" in seen
    assert "hint 2" not in seen


@pytest.mark.parametrize("hints", [0, 1, 2, 3])
def test_as_many_hints_as_asked_for_once_a_task(show: Show, hints: int) -> None:
    found = [evidence("b", Status.NOT_MET, name=name, message=name) for name in "xy"]
    seen = show(found, hints=hints).words
    assert [seen.count(hint) for hint in HINTS] == [1] * hints + [0] * (3 - hints)


@pytest.mark.parametrize("status", [Status.MET, Status.INCONCLUSIVE, Status.NOT_ATTEMPTED])
def test_no_hint_where_nothing_is_wrong(show: Show, status: Status) -> None:
    assert "hint" not in show([evidence("b", status)]).text


def test_no_hint_about_the_task_for_a_file_that_cannot_be_used(
    unit: Unit, screen: Callable[[int], Screen]
) -> None:
    made = screen(80)
    report = TerminalReport(made.console, replace(unit, files=("adapter.py",)))
    report.evidence(evidence("b", Status.NOT_MET, message="adapter.py: no parameter"))
    assert "adapter.py: no parameter" in made.words
    assert "hint" not in made.text


def test_long_values_stand_one_above_the_other(show: Show) -> None:
    found = evidence("b", Status.NOT_MET, expected="e" * 30, got="g" * 30)
    text = show([found]).text
    assert column(text, "e" * 30) == column(text, "g" * 30)


def test_a_task_not_attempted_is_one_line_with_the_tasks_title(show: Show) -> None:
    found = [evidence("b", Status.NOT_ATTEMPTED, name=name) for name in "xyz"]
    text = show(found).text
    assert text.count("not attempted") == 1
    assert "8.4.b  Round to bf16" in text
    assert "promises" not in text


def test_output_is_shown_for_what_is_not_met_alone(show: Show) -> None:
    met, unmet = evidence("a", output="quiet\n"), evidence("b", Status.NOT_MET, output="loud\n")
    text = show([met, unmet]).text
    assert "quiet" not in text
    assert "your code printed:" in text
    assert "| loud" in text


def test_the_same_reason_is_not_repeated(show: Show) -> None:
    found = [evidence(x, Status.NOT_MET, message="numpy_stage.py:3: bad") for x in "ab"]
    seen = show(found).words
    assert seen.count("numpy_stage.py:3: bad") == 1
    assert "for the same reason" in seen


@pytest.mark.parametrize("width", [30, 45, 80, 200])
def test_no_line_is_wider_than_the_terminal(show: Show, width: int) -> None:
    found = [
        evidence("a", title="A title that is a good deal longer than any title should be, really."),
        evidence(
            "b", Status.NOT_MET, message="m" * 300, expected="e" * 90, got="g", output="o" * 99
        ),
    ]
    terms = (JudgedTerm("optimizer_temporaries", "4.1 MB", False, "the measured one is 4.0 MB"),)
    field = Residual("peak", "exact", "?", "9" * 80, "8" * 80, "1", State.NOT_EXPLAINED, "w", terms)
    text = show(
        found,
        width=width,
        seal=SealVerdict(SealWord.LATE, "this came too late " * 5),
        residuals=[field],
        rows=[Row(row, "", Level.NONE, Level.STRONG) for row in ("prediction", "resume", "timing")],
    ).text
    assert max(map(len, text.splitlines())) <= width
    assert not any(line != line.rstrip() for line in text.splitlines())


def test_predictions_stand_beside_their_measurement(show: Show) -> None:
    seen = show(
        seal=SealVerdict(SealWord.SEALED, "fine", "ab", TIME, TIME),
        residuals=[
            Residual("parameters", "exact", "?", "12 B", "12 B", "", State.EXACT),
            Residual("time", "band", "?", "1 s", "1.1 s", "+0.1 s", State.WITHIN_BAND, "hush"),
            Residual("peak", "exact", "?", "4 B", "5 B", "+1 B", State.NOT_EXPLAINED, "name it"),
            Residual("top", "choice", "?", "", "forward", "", State.NOT_EXPLAINED, "left blank"),
        ],
    )
    assert re.search(r"Predictions   sealed .*\d\d:\d\d, measured .*\d\d:\d\d", seen.text)
    assert "parameters 12 B measured 12 B exact" in seen.words
    assert "time 1 s measured 1.1 s +0.1 s within band" in seen.words
    assert "hush" not in seen.words
    assert "peak 4 B measured 5 B +1 B not explained: name it" in seen.words
    assert "top blank measured forward not explained: left blank" in seen.words
    assert column(seen.text, "measured 12 B") == column(seen.text, "measured 5 B")


def test_more_than_one_seal_is_told_in_one_line_with_what_was_rewritten(show: Show) -> None:
    again = SealVerdict(SealWord.SEALED, "", "ab", TIME, TIME, 3, ("peak", "calls"))
    assert "3 seals, rewritten between them: peak, calls" in show(seal=again).text
    once = SealVerdict(SealWord.SEALED, "", "ab", TIME, TIME, 1)
    assert "rewritten" not in show(seal=once).text


def test_each_term_is_believed_or_not(show: Show) -> None:
    terms = (JudgedTerm("bias", "4 B", True), JudgedTerm("mask", "9 B", False, "it has 8 B"))
    field = Residual("peak", "exact", "?", "4 B", "17 B", "+13 B", State.NOT_EXPLAINED, "", terms)
    seen = show(seal=SealVerdict(SealWord.SEALED, ""), residuals=[field]).words
    assert "bias 4 B believed" in seen
    assert "mask 9 B not believed: it has 8 B" in seen


@pytest.mark.parametrize("word", [word for word in SealWord if word != SealWord.SEALED])
def test_a_seal_that_does_not_count_says_why(show: Show, word: SealWord) -> None:
    seen = show(seal=SealVerdict(word, "because of this")).words
    assert f"Predictions {word}: because of this" in seen


def test_evidence_about_a_field_is_left_to_the_predictions(show: Show) -> None:
    sheet = [
        evidence("P", Status.NOT_MET, name="peak/explained", title="About the field."),
        evidence("P", Status.NOT_MET, name="fresh_sizes", title="About fresh sizes."),
    ]
    seen = show(sheet).words
    assert "About the field." not in seen
    assert "Fresh configurations not met 8.4.P About fresh sizes." in seen


def test_rows_say_what_is_open(show: Show) -> None:
    rows = [
        Row("prediction", "", Level.PASS, Level.PASS),
        Row("optimization_validity", "", Level.NONE, Level.STRONG),
    ]
    seen = show(rows=rows).words
    assert "prediction pass optimization validity not yet known" in seen


def test_rows_that_do_not_fit_a_line_stand_in_two_columns(show: Show) -> None:
    names = ("prediction", "fault_repair", "optimization_validity", "resume")
    text = show(rows=[Row(name, "", Level.STRONG, Level.STRONG) for name in names]).text
    levels = [line.index("strong") for line in text.splitlines() if line.endswith("strong")]
    assert len(levels) == 4
    assert len(set(levels)) == 1


def test_the_end_names_the_next_step_and_the_report(show: Show) -> None:
    seen = show([evidence("b", Status.NOT_ATTEMPTED)]).words
    assert seen.endswith("next: 8.4.b, about 20 minutes report: .grade/reports/8.4.json")


def test_a_next_step_on_the_sheet_is_said_in_words(show: Show) -> None:
    seen = show([evidence("a")], seal=SealVerdict(SealWord.NOT_SEALED, "")).words
    assert "next: predict, then `grade predict 8.4`, about 15 minutes" in seen


ROWS = [Row("timing", "", Level.PASS, Level.PASS)]


@pytest.mark.parametrize(
    ("status", "rows", "said"),
    [
        (Status.MET, ROWS, True),
        (Status.INCONCLUSIVE, ROWS, True),
        (Status.VOID, ROWS, False),
        (Status.MET, [], False),
    ],
)
def test_a_whole_grade_without_anything_open_says_that_nothing_is_left(
    show: Show, *, status: Status, rows: list[Row], said: bool
) -> None:
    assert ("nothing is left to do" in show([evidence("a", status)], rows=rows).words) == said


def test_an_interrupted_grade_says_so(show: Show) -> None:
    seen = show([evidence("b", Status.NOT_ATTEMPTED)], interrupted=True).words
    assert "interrupted: this report is partial" in seen
    assert "next:" not in seen


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None
)
@given(text=st.text(alphabet=st.characters(codec=None)) | st.from_regex(r"[\x1b\x9b]?\[[^ab]{0,9}"))
def test_no_text_of_a_student_acts_on_the_terminal(show: Show, text: str) -> None:
    marked = f"[bold red]{text}[/bold red]"
    found = evidence(
        "b", Status.NOT_MET, message=text, expected=marked, got=text, mistake=text, output=marked
    )
    field = Residual(text, "exact", "?", text, text, text, State.NOT_EXPLAINED, text)
    seen = show([found], seal=SealVerdict(SealWord.FORGED, text), residuals=[field])
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]", seen.text)
    assert "[boldred]" in "".join(seen.text.split())
