from __future__ import annotations

import pytest

from grader.checks.evidence import Status
from grader.report.judgement import Comparison, comparison, first_output, row_words
from grader.report.model import check_record
from tests.report.conftest import evidence


def compared(**more: str) -> Comparison:
    return comparison(check_record(evidence("a", Status.NOT_MET, **more)))


def test_the_gap_moves_from_the_message_to_the_values() -> None:
    seen = compared(message="the result is not as expected: 0.8 % low.", expected="1.008", got="1")
    assert seen == Comparison("", "1.008", "1", "0.8 % low")


def test_what_was_compared_stays_when_it_is_not_simply_the_result() -> None:
    seen = compared(message="forward is not as expected: the shape differs.", expected="(2,)")
    assert seen == Comparison("forward is not as expected.", "(2,)", "", "the shape differs")


def test_another_message_stays_whole() -> None:
    assert compared(message="Count: it is not right.").said == "Count: it is not right."


def test_a_message_without_values_keeps_its_gap() -> None:
    said = "x is not as expected: no idea."
    assert compared(message=said) == Comparison(said, "", "", "")


@pytest.mark.parametrize(("unit", "shown"), [("B", "12 B"), ("1", "12"), ("", "12")])
def test_values_carry_their_unit(unit: str, shown: str) -> None:
    assert compared(expected="12", unit=unit).expected == shown


def test_only_the_first_lines_of_output_are_shown() -> None:
    lines, more = first_output("".join(f"line {n}\n\n" for n in range(10)))
    assert lines == [f"line {n}" for n in range(6)]
    assert more == 4


@pytest.mark.parametrize(
    ("level", "at_most", "words"),
    [
        ("none", "none", "none"),
        ("strong", "strong", "strong"),
        ("none", "strong", "not yet known"),
        ("none", "pass", "at most pass"),
        ("pass", "strong", "pass, at most strong"),
    ],
)
def test_open_levels_are_said_as_such(level: str, at_most: str, words: str) -> None:
    assert row_words(level, at_most) == words
