"""From a command line to an exit status: every way to end, each with at most clear lines.

0: all is well. 1: something is not met. 2: wrong use. 3: could not judge. 130: Ctrl-C.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from typing import NoReturn, TextIO

import click
from click.shell_completion import shell_complete

from grader.cli.commands import grade
from grader.errors import EvidenceError, SheetError, SubmissionError, UsageError

WRONG_USE = 2
NOT_JUDGED = 3
INTERRUPTED = 130
_CLOSED_PIPE = 141  # what a shell reports for a program whose reader went away
_NAME = "grade"
_COMPLETE = "_GRADE_COMPLETE"
_DEBUG = "TORCH_EVIDENCE_DEBUG"


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run `grade` with `arguments`, those of the process by default, and exit."""
    for stream in (sys.stdout, sys.stderr):
        _print_anything(stream)
    status = run(arguments)
    sys.exit(_flushed(status))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run `grade` and return the exit status; no exception leaves, unless debugging asks for it."""
    try:
        return _invoke(sys.argv[1:] if arguments is None else arguments)
    except (KeyboardInterrupt, click.Abort):
        _say("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        return _CLOSED_PIPE
    except Exception as error:
        if os.environ.get(_DEBUG) == "1":
            raise
        lines, status = _told(error)
        for line in lines:
            _say(f"error: {line}")
        return status


def _invoke(arguments: Sequence[str]) -> int:
    """Run the command that `arguments` name, or answer a shell that asks for completions."""
    instruction = os.environ.get(_COMPLETE)
    if instruction:
        return shell_complete(grade, {}, _NAME, _COMPLETE, instruction)
    try:
        with grade.make_context(_NAME, list(arguments)) as context:
            result = grade.invoke(context)
    except click.exceptions.Exit as ended:
        return ended.exit_code
    return result if isinstance(result, int) else 0


def _told(error: Exception) -> tuple[list[str], int]:
    """Return the lines for a person, and the exit status, of an error."""
    match error:
        case EvidenceError():
            wrong_use = isinstance(error, UsageError | SubmissionError | SheetError)
            return [str(p) for p in error.problems], WRONG_USE if wrong_use else NOT_JUDGED
        case click.UsageError():
            path = error.ctx.command_path if error.ctx else "grade"
            said = error.format_message().rstrip(".")
            todo = "" if said.endswith("?") else f"; see `{path} --help`"
            return [f"{said}{todo}"], WRONG_USE
        case click.ClickException():
            return [error.format_message()], error.exit_code
        case OSError(errno=errno.ENOSPC):
            return [f"{_place(error)}the disk is full; free some space and try again"], NOT_JUDGED
        case OSError():
            return [f"{_place(error)}{error.strerror or error}"], NOT_JUDGED
        case _:
            seen = f"{type(error).__name__}: {error}"
            todo = f"this is a defect of the grader; {_DEBUG}=1 shows where"
            return [f"{seen}; {todo}"], NOT_JUDGED


def _place(error: OSError) -> str:
    return f"{error.filename}: " if error.filename else ""


def _say(line: str) -> None:
    """Print one line on stderr, whatever it contains."""
    from grader.report.clean import clean

    try:
        print(clean(line), file=sys.stderr, flush=True)
    except OSError:
        return  # nobody is left to tell


def _print_anything(stream: TextIO) -> None:
    """Let a stream show a substitute for what its encoding lacks, rather than fail."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")


def _flushed(status: int) -> int:
    """Empty stdout here, where a closed pipe or a full disk can still be told properly."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _forget(sys.stdout)
        return status or _CLOSED_PIPE
    except OSError as error:
        _forget(sys.stdout)
        if status < WRONG_USE:  # otherwise the command has said what happened
            _say(f"error: {_told(error)[0][0]}")
        return NOT_JUDGED
    return status


def _forget(stream: TextIO) -> None:
    """Let what a stream still holds go nowhere, so that the interpreter's own end is quiet."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
