"""`grade start`: a folder of one's own with lessons, stubs and sheets, under git."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from grader.course.content import Content
from grader.course.experiments import EXPERIMENTS
from grader.errors import Problem, UsageError

_LEFT_OUT = frozenset({"hidden", EXPERIMENTS, "unit.toml", "__pycache__"})
_IGNORED = """\
# What the grader writes, except the ledger: that belongs to your work, so commit it.
.grade/*
!.grade/ledger.jsonl
!.grade/ledger.jsonl.head
__pycache__/
"""
_NOBODY = ("-c", "user.name=Torch Evidence student", "-c", "user.email=student@localhost")
_QUIET = ("-c", f"core.hooksPath={os.devnull}", "-c", "commit.gpgSign=false")
_PATIENCE = 60.0  # [s]


def make_workspace(target: Path, content: Content) -> str:
    """Fill `target` with what students receive, and make its first commit.

    Args:
        target: A folder that is empty, or not there yet.
        content: The course. Hidden checks, experiments, `unit.toml` (it holds the hints) and
            solutions stay.

    Returns:
        Why there is no first commit; empty when there is one.

    Raises:
        UsageError: if `target` holds anything, or cannot be made.
    """
    is_new = not os.path.lexists(target)
    _refuse_what_is_there(target)
    try:
        target.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=".start-", dir=target))
    except OSError as error:
        raise UsageError(Problem(str(target), f"cannot be made: {error.strerror}")) from error
    try:
        _copy(content, draft)
        note = _first_commit(draft)
        for path in sorted(draft.iterdir()):
            path.rename(target / path.name)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        if is_new and not any(target.iterdir()):
            target.rmdir()
    return note


def _refuse_what_is_there(target: Path) -> None:
    where = str(target)
    if not os.path.lexists(target):
        return
    if not target.is_dir():
        raise UsageError(Problem(where, "this is not a folder", "name a new one"))
    try:
        is_empty = not any(target.iterdir())
    except PermissionError as error:
        raise UsageError(Problem(where, "this folder may not be read")) from error
    if not is_empty:
        todo = "name a new one; nothing was changed"
        raise UsageError(Problem(where, "this folder is not empty", todo))


def _copy(content: Content, target: Path) -> None:
    """Copy contents alone: an installed course may be read-only, a student's files are not."""
    for here, folders, names in os.walk(content.exercises):
        folders[:] = [name for name in folders if is_for_students(name)]
        inside = target / Path(here).relative_to(content.exercises)
        for name in filter(is_for_students, names):
            inside.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(Path(here) / name, inside / name)
    (target / ".gitignore").write_text(_IGNORED, encoding="utf-8")


def is_for_students(name: str) -> bool:
    """Whether a file or folder of a unit is one that students receive."""
    return name not in _LEFT_OUT and not name.startswith(".")


def _first_commit(folder: Path) -> str:
    """Put `folder` under git; return why that was not possible, empty if it was."""
    program = shutil.which("git")
    if program is None:
        return "git is not installed, so your work is not under version control"
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}

    def git(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [program, *_QUIET, *arguments],
            cwd=folder,
            env=environment | {"LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE,
            check=False,
        )

    try:
        known = git("config", "user.email").returncode == 0
        identity = () if known else _NOBODY
        for arguments in (
            ("-c", "init.defaultBranch=main", "init", "--quiet", "--template="),
            ("add", "--all"),
            (*identity, "commit", "--quiet", "--message", "Start the course"),
        ):
            done = git(*arguments)
            if done.returncode != 0:
                said = (done.stderr.strip().splitlines() or ["it gave no reason"])[-1]
                return f"git could not make the first commit: {said}"
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"git could not make the first commit: {error}"
    return ""
