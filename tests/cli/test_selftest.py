from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.cli import experiment as experiment_module
from grader.course.content import Content
from grader.course.unit import Unit
from tests.cli.conftest import KEY, Grade

SCRIPT = '"""Twice two, by adding."""\n\nprint("2 + 2 is", 2 + 2)\n'
Put = Callable[[str], Path]


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


@pytest.fixture
def put(course: tuple[Content, Unit]) -> Iterator[Put]:
    """Give question q1 an experiment, for one test."""
    folder = course[1].path / "experiments"

    def write(text: str) -> Path:
        folder.mkdir(exist_ok=True)
        (folder / "q1.py").write_text(text)
        return folder / "q1.py"

    yield write
    (folder / "q1.py").unlink(missing_ok=True)


def test_a_wrong_answer_names_the_command_that_shows_why(
    grade: Grade, work: Path, put: Put
) -> None:
    put(SCRIPT)
    answer(work, "5", "numpy")
    said = " ".join(grade("selftest", "9.1").out.split())
    assert "see it happen: grade selftest 9.1 --experiment 1" in said
    assert "--experiment 2" not in said  # it has none


def test_neither_a_right_answer_nor_a_blank_one_is_sent_to_an_experiment(
    grade: Grade, work: Path, put: Put
) -> None:
    put(SCRIPT)
    for given in ("4", ""):
        answer(work, given, "torch")
        assert "--experiment" not in grade("selftest", "9.1").out


def test_the_command_repeats_where_the_work_lies(
    grade: Grade, work: Path, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(SCRIPT)
    answer(work, "5", "torch")
    monkeypatch.chdir(work.parent)
    ran = grade("selftest", "9.1", "--submission", "work")
    assert "grade selftest 9.1 --submission work --experiment 1" in " ".join(ran.out.split())
    assert grade("selftest", "9.1", "--submission", "work", "--experiment", "1").status == 0


@pytest.mark.parametrize("number", ["1", "q1", " Q1 "])
def test_an_experiment_is_shown_and_then_what_it_prints(
    grade: Grade, work: Path, put: Put, number: str
) -> None:
    put(SCRIPT)
    answer(work, "5", "torch")
    ran = grade("selftest", "9.1", "--experiment", number)
    assert ran.status == 0
    source, printed = ran.out.index('print("2 + 2 is", 2 + 2)'), ran.out.index("2 + 2 is 4")
    assert ran.out.startswith("9.1  q1  What is twice two?\n")
    assert source < printed


def test_who_has_not_answered_is_shown_nothing(grade: Grade, work: Path, put: Put) -> None:
    put(SCRIPT)
    answer(work, "", "torch")
    ran = grade("selftest", "9.1", "--experiment", "1")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("error: answer q1 first")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("9.1", "--experiment", "2"), "question q2 of 9.1 has no experiment"),
        (("9.1", "--experiment", "7"), "there is no question '7'"),
        (("--experiment", "1"), "--experiment needs a unit"),
    ],
)
def test_an_experiment_that_is_not_there_is_said_in_one_line(
    grade: Grade, work: Path, words: tuple[str, ...], said: str
) -> None:
    answer(work, "5", "torch")
    ran = grade("selftest", *words)
    assert ran.status == 2
    assert said in ran.err
    assert ran.err.count("\n") == 1


def test_an_experiment_has_a_process_and_a_folder_of_its_own(
    grade: Grade, work: Path, put: Put
) -> None:
    put(
        '"""Where it runs."""\nimport json, os, sys\n'
        "open('left', 'w').close()\n"
        "print(json.dumps([os.getpid(), os.listdir(), sys.stdin.read()]))\n"
    )
    answer(work, "5", "torch")
    out = grade("selftest", "9.1", "--experiment", "1").out
    process, files, heard = json.loads(out.strip().splitlines()[-1])
    assert process != os.getpid()
    assert (files, heard) == (["left"], "")
    assert not list(work.rglob("left"))


def test_an_experiment_that_fails_or_hangs_ends_with_3_and_one_line(
    grade: Grade, work: Path, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(work, "5", "torch")
    put("raise ValueError('no luck')\n")
    ran = grade("selftest", "9.1", "--experiment", "1")
    assert (ran.status, ran.err) == (3, "error: q1.py: it failed: ValueError: no luck\n")
    monkeypatch.setattr(experiment_module, "PATIENCE", 0.5)
    put("import time\ntime.sleep(60)\n")
    ran = grade("selftest", "9.1", "--experiment", "1")
    assert ran.status == 3
    assert "it was stopped after" in ran.err


def test_without_a_unit_all_units_of_the_workspace_are_marked(grade: Grade, work: Path) -> None:
    answer(work, "4", "torch")
    ran = grade("selftest")
    assert ran.status == 0
    assert ran.out.splitlines()[-1] == "2 of 2 right in 1 unit"
    answer(work, "5", "torch")
    assert grade("selftest").status == 1


def test_a_malformed_file_does_not_keep_the_others_from_being_marked(
    grade: Grade, work: Path
) -> None:
    (work / "u91_toy" / "selftest.toml").write_text("[[")
    ran = grade("selftest")
    assert ran.status == 2
    assert "cannot be read, see below" in ran.out
    assert ran.err.startswith("error: u91_toy/selftest.toml")


def test_where_there_is_no_self_test_it_says_so(
    grade: Grade, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    ran = grade("selftest")
    assert ran.status == 2
    assert "there is no self-test here" in ran.err
