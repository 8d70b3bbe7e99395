from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import click
import pytest

from grader.cli.commands import grade as grade_group
from grader.cli.entry import main
from grader.errors import (
    CourseError,
    LedgerError,
    Problem,
    SandboxError,
    SheetError,
    SubmissionError,
    UsageError,
)
from grader.report.write import ReportError
from tests.cli.conftest import Grade

ROOT = Path(__file__).parents[2]


@pytest.fixture
def fails(monkeypatch: pytest.MonkeyPatch) -> list[BaseException]:
    """Make `grade list` raise what the test puts in here."""
    errors: list[BaseException] = []

    def fail() -> NoReturn:
        raise errors[0]

    monkeypatch.setattr(
        grade_group.get_command(click.Context(grade_group), "list"), "callback", fail
    )
    return errors


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        (UsageError, 2),
        (SubmissionError, 2),
        (SheetError, 2),
        (CourseError, 3),
        (LedgerError, 3),
        (SandboxError, 3),
        (ReportError, 3),
    ],
)
def test_every_problem_is_one_line_and_the_status_says_whose_it_is(
    grade: Grade, fails: list[BaseException], kind: type[Exception], status: int
) -> None:
    fails.append(kind([Problem("a.toml:3", "is odd", "mend it"), Problem("", "second\nline")]))
    ran = grade("list")
    assert ran.err == "error: a.toml:3: is odd; mend it\nerror: second line\n"
    assert (ran.status, ran.out) == (status, "")


def test_an_error_message_cannot_steer_the_terminal(
    grade: Grade, fails: list[BaseException]
) -> None:
    fails.append(UsageError("\x1b[2Jcleared \x9b31m \x07"))
    assert grade("list").err == "error: cleared\n"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.ENOSPC, "No space left", "out.json"), "out.json: the disk is full; free"),
        (PermissionError(errno.EACCES, "Permission denied", "x"), "x: Permission denied"),
        (RuntimeError("odd"), "RuntimeError: odd; this is a defect of the grader"),
    ],
)
def test_nothing_ends_in_a_traceback(
    grade: Grade, fails: list[BaseException], error: Exception, words: str
) -> None:
    fails.append(error)
    ran = grade("list")
    assert ran.status == 3
    assert ran.err.startswith(f"error: {words}")
    assert len(ran.err.splitlines()) == 1


def test_debugging_asks_for_the_traceback(
    grade: Grade, fails: list[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    fails.append(RuntimeError("odd"))
    monkeypatch.setenv("TORCH_EVIDENCE_DEBUG", "1")
    with pytest.raises(RuntimeError, match="odd"):
        main(["list"])


@pytest.mark.parametrize("error", [KeyboardInterrupt(), click.Abort()])
def test_an_interrupt_has_its_own_status(
    grade: Grade, fails: list[BaseException], error: BaseException
) -> None:
    fails.append(error)
    ran = grade("list")
    assert (ran.status, ran.err.strip()) == (130, "interrupted")


def test_a_reader_who_left_is_no_error(grade: Grade, fails: list[BaseException]) -> None:
    fails.append(BrokenPipeError())
    ran = grade("list")
    assert (ran.status, ran.err) == (141, "")


@pytest.mark.parametrize(
    ("arguments", "nearest"),
    [(["unti", "8.9"], "grade unit"), (["author", "stub"], "grade author stubs")],
)
def test_an_unknown_command_suggests_the_nearest(
    grade: Grade, arguments: list[str], nearest: str
) -> None:
    ran = grade(*arguments)
    assert ran.status == 2
    assert f"did you mean `{nearest}`?" in ran.err


def test_a_command_like_no_other_points_to_the_help(grade: Grade) -> None:
    assert "there is no command 'xyzzy'; see `grade --help`" in grade("xyzzy").err


@pytest.mark.parametrize("arguments", [["unit"], ["unit", "8.9", "--hints", "7"], ["list", "--x"]])
def test_wrong_use_is_one_line_with_status_2(grade: Grade, arguments: list[str]) -> None:
    ran = grade(*arguments)
    assert ran.status == 2
    assert ran.err.startswith("error: ")
    assert len(ran.err.splitlines()) == 1


def test_help_names_every_command(grade: Grade) -> None:
    ran = grade("--help")
    assert ran.status == 0
    for command in ("list", "start", "predict", "unit", "selftest", "doctor", "author"):
        assert f"\n  {command} " in ran.out


SAYING = """
import click, sys
from grader.cli.commands import grade
from grader.cli.entry import main
grade.add_command(click.Command("flushed", callback=lambda: click.echo("漢\\ud800")))
grade.add_command(click.Command("unflushed", callback=lambda: sys.stdout.write("x") and None))
main(sys.argv[1:])
"""
BOTH = pytest.mark.parametrize("command", ["flushed", "unflushed"])


def say(command: str, stdout: int, encoding: str = "utf-8") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", SAYING, command],
        stdout=stdout,
        stderr=subprocess.PIPE,
        check=False,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": encoding},
    )


@BOTH
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_stdout_is_said_in_one_line(command: str) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        done = say(command, full)
    finally:
        os.close(full)
    assert done.returncode == 3
    assert done.stderr == b"error: the disk is full; free some space and try again\n"


@BOTH
def test_a_closed_pipe_behind_stdout_is_silent(command: str) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        done = say(command, write)
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


def test_what_stdout_cannot_encode_is_replaced() -> None:
    done = say("flushed", subprocess.PIPE, encoding="latin-1")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"??\n", b"")


def test_a_shell_gets_completions() -> None:
    asked = {"_GRADE_COMPLETE": "bash_complete", "COMP_WORDS": "grade sel", "COMP_CWORD": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "grader"],
        env=os.environ | {"PYTHONPATH": str(ROOT)} | asked,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "plain,selftest"
