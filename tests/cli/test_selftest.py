from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import KEY, Grade


def answer(work: Path, q1: str, q2: str) -> None:
    text = KEY.replace('"4"', f'"{q1}"').replace('answer = "torch"', f'answer = "{q2}"')
    (work / "u91_toy" / "selftest.toml").write_text(text)


def test_right_answers_are_all_right(grade: Grade, work: Path) -> None:
    answer(work, "4", "torch")
    ran = grade("selftest", "9.1")
    assert ran.status == 0
    assert "2 of 2 right" in ran.out


def test_a_wrong_answer_is_repeated_and_pointed_on(grade: Grade, work: Path) -> None:
    answer(work, "5", "torch")
    ran = grade("selftest", "9.1")
    words = " ".join(ran.out.split())
    assert ran.status == 1
    assert "wrong q1 What is twice two? you wrote: 5 See the lesson on doubling." in words
    assert "right q2" in words
    assert "1 of 2 right" in words


def test_a_blank_answer_is_blank_and_the_key_stays_secret(grade: Grade, work: Path) -> None:
    answer(work, "", "")
    ran = grade("selftest", "9.1")
    assert "blank  q1" in ran.out
    assert "4" not in ran.out


@pytest.mark.parametrize(("q1", "where"), [("many", ":6"), ("4 B", ":6")])
def test_a_malformed_answer_is_named_by_its_line(
    grade: Grade, work: Path, q1: str, where: str
) -> None:
    answer(work, q1, "torch")
    ran = grade("selftest", "9.1")
    assert ran.status == 2
    assert ran.err.startswith(f"error: u91_toy/selftest.toml{where}: ")
