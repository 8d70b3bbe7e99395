"""Run a unit's hidden checks on one submission, in this process, workers apart."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader.checks.diagnosis import Diagnosis
from grader.checks.evidence import Evidence
from grader.checks.plugin import GraderPlugin, Trial
from grader.checks.subject import Bench
from grader.course.faults import Fault, write_stages
from grader.submission.folder import Submission

_UNUSED_PLUGINS = (
    "cacheprovider",
    "terminal",
    "doctest",
    "junitxml",
    "pastebin",
    "faulthandler",
    "logging",
    "warnings",
    "threadexception",
    "unraisableexception",
    "stepwise",
    "nose",
)


@dataclass(frozen=True, slots=True)
class CheckRun:
    """Evidence of a run, and what kept it from being whole.

    Attributes:
        evidence: One piece for each check that ran, in the order of the tasks.
        interrupted: Whether Ctrl-C ended it.
        broken: Hidden checks that could not be used: the author's concern.
    """

    evidence: tuple[Evidence, ...]
    interrupted: bool
    broken: tuple[str, ...]


def run_checks(
    bench: Bench,
    submission: Submission,
    solutions: Path,
    seed: str,
    *,
    tasks: frozenset[str] | None = None,
    only: str | None = None,
    faults: Sequence[Fault] = (),
    named: frozenset[str] | None = None,
    on_evidence: Callable[[Evidence], None] = lambda _: None,
) -> CheckRun:
    """Run the checks of `bench.unit` on a submission.

    Args:
        bench: Unit, sandbox and limits.
        submission: The student's files.
        solutions: Folder of the solved units, for the reference.
        seed: Seed of the run; the same seed gives the same cases.
        tasks: Ids of the tasks to check; None for all.
        only: Id of the one check of these tasks to run; None for all.
        faults: Known mistakes to hold wrong results against.
        named: Ids of the checks whose wrong results are held against them; None for all.
        on_evidence: Called with each piece of evidence as it comes.
    """
    with tempfile.TemporaryDirectory(prefix="stages-") as folder:
        student, solved = Path(folder, "student"), Path(folder, "solved")
        student.mkdir()
        submission.copy_to(student)
        write_stages(bench.unit, solutions, solved)
        diagnosis = Diagnosis(bench, solutions, faults, submission, named) if faults else None
        plugin = GraderPlugin(
            Trial(
                bench=bench,
                submission=submission,
                stages=student,
                solved=solved,
                diagnosis=diagnosis,
                seed=seed,
                tasks=tasks,
                only=only,
                on_evidence=on_evidence,
            )
        )
        status = _run_pytest(bench.unit.hidden, plugin, tasks)
    known = {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED}
    interrupted = status == pytest.ExitCode.INTERRUPTED and not plugin.broken
    broken = list(plugin.broken)
    if status not in known and not interrupted and not broken:
        broken.append(f"the checks ended with status {int(status)}")
    return CheckRun(tuple(plugin.evidence), interrupted, tuple(broken))


def _check_files(hidden: Path, tasks: frozenset[str] | None) -> list[str]:
    """Return the files of checks that have a word on one of the tasks; all of them for None."""
    files = sorted(hidden.glob("test_*.py"))
    if tasks is None:
        return [str(file) for file in files]
    texts = {file: file.read_text(encoding="utf-8") for file in files}
    return [str(file) for file, text in texts.items() if any(task in text for task in tasks)]


def _run_pytest(hidden: Path, plugin: GraderPlugin, tasks: frozenset[str] | None) -> int:
    """Run pytest on the hidden checks, untouched by configuration, plugins and environment."""
    files = _check_files(hidden, tasks)
    if not files:  # pytest would look for tests in the current folder
        return pytest.ExitCode.NO_TESTS_COLLECTED
    arguments = [
        *files,
        f"--rootdir={hidden.parent}",  # so that checks may import what lies beside them
        f"--confcutdir={hidden}",
        f"--config-file={os.devnull}",
        "--noconftest",
        "--import-mode=importlib",
        "--assert=plain",
        "--capture=no",
        "--disable-plugin-autoload",
    ]
    for name in _UNUSED_PLUGINS:
        arguments += ["-p", f"no:{name}"]
    with _without_environment("PYTEST_ADDOPTS", "PYTEST_PLUGINS"), _forgetting_modules(hidden):
        return int(pytest.main(arguments, plugins=[plugin]))


@contextmanager
def _without_environment(*names: str) -> Iterator[None]:
    """Take variables out of the environment for a while."""
    kept = {name: os.environ.pop(name) for name in names if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(kept)


@contextmanager
def _forgetting_modules(folder: Path) -> Iterator[None]:
    """Forget what was imported from `folder`: another unit's checks have the same names."""
    try:
        yield
    finally:
        for name, module in list(sys.modules.items()):
            file = str(getattr(module, "__file__", None) or "")
            if file.startswith(f"{folder}{os.sep}") or name == folder.name:
                del sys.modules[name]
