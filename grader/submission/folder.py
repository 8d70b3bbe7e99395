"""Read a student's folder: which files there are, what is wrong with them, and a private copy.

The files are read once. Workers get a copy of those bytes, so that nothing a worker does reaches
the student's own files, and a report's digest is that of what was really graded.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.course.unit import STAGES, Unit, stage_file
from grader.errors import Problem, SubmissionError
from grader.submission.stage import StageProblems, inspect_stage

MAX_FILES = 64
MAX_BYTES = 1 << 20
_SHEETS = ("prediction.toml", "discrepancy.toml")
_SKIPPED_FOLDERS = frozenset({"hidden", "__pycache__", "faults"})


@dataclass(frozen=True, slots=True)
class Submission:
    """What a student handed in for one unit.

    Attributes:
        root: The folder that was named.
        folder: The unit's folder in it.
        files: Content of each file that is graded, by its path relative to `folder`.
        stages: Problems of each stage file, by stage.
        problems: Problems of the folder itself, such as a link that leads out of it.
    """

    root: Path
    folder: Path
    files: Mapping[str, bytes]
    stages: Mapping[str, StageProblems]
    problems: tuple[Problem, ...]

    @property
    def digest(self) -> str:
        """SHA-256 over names and contents, the same for the same work anywhere."""
        total = hashlib.sha256()
        for name in sorted(self.files):
            content = self.files[name]
            total.update(f"{name}\0{len(content)}\0".encode())
            total.update(content)
        return total.hexdigest()

    @property
    def all_problems(self) -> tuple[Problem, ...]:
        """Every problem, of the folder and of the stages."""
        return (*self.problems, *(p for stage in self.stages.values() for p in stage.all))

    def problem_of(self, task_id: str, stage: str) -> Problem | None:
        """Return what keeps a task from being checked, if anything does."""
        found = self.stages.get(stage)
        return found.of(task_id) if found else None

    def copy_to(self, target: Path) -> None:
        """Write the Python files below `target`, for a worker to read."""
        for name, content in self.files.items():
            if name.endswith(".py"):
                path = target / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)


def read_submission(root: Path, unit: Unit) -> Submission:
    """Read the files for `unit` from the folder `root`.

    `root` is a copy of the exercises, or the unit's own folder.

    Raises:
        SubmissionError: if there is nothing to read.
    """
    folder = _unit_folder(root, unit)
    problems: list[Problem] = []
    files: dict[str, bytes] = {}
    for path in _candidates(folder, unit, problems):
        name = path.relative_to(folder).as_posix()
        if len(files) >= MAX_FILES:
            problems.append(Problem(name, f"more than {MAX_FILES} files", "it was left out"))
            break
        content = _read(path, root, name, problems)
        if content is not None:
            files[name] = content
    stages = {}
    for stage in STAGES:
        tasks = unit.stage_tasks(stage)
        if not tasks:
            continue
        name = stage_file(stage)
        unreadable = next((p for p in problems if p.where == name), None)
        stub = unit.path / name
        stages[stage] = inspect_stage(
            name,
            files.get(name),
            tasks,
            stub=stub.read_text(encoding="utf-8") if stub.is_file() else "",
            unreadable=unreadable,
        )
    left = tuple(p for p in problems if p.where not in {stage_file(s) for s in STAGES})
    return Submission(root, folder, files, stages, left)


def _unit_folder(root: Path, unit: Unit) -> Path:
    """Return the folder of `unit` in `root`, or say what is in the way."""
    where = str(root)
    try:
        if not root.exists():
            raise SubmissionError(Problem(where, "there is no such folder"))
        if not root.is_dir():
            todo = f"give the folder that contains {unit.folder}/"
            raise SubmissionError(Problem(where, "this is a file, not a folder", todo))
        os.listdir(root)  # noqa: PTH208 - asks for permission before anything is read
        folder = root / unit.folder
        if folder.is_dir():
            if not folder.resolve().is_relative_to(root.resolve()):
                raise SubmissionError(
                    Problem(str(folder), "this link leads out of the submission", "copy it in")
                )
            return folder
        if any((root / stage_file(stage)).exists() for stage in STAGES):
            return root
    except PermissionError as error:
        raise SubmissionError(Problem(where, "this folder may not be read")) from error
    todo = f"expected {unit.folder}/ with {' and '.join(stage_file(s) for s in STAGES)}"
    raise SubmissionError(Problem(where, f"nothing here belongs to unit {unit.id}", todo))


def _candidates(folder: Path, unit: Unit, problems: list[Problem]) -> list[Path]:
    """List the files that are graded: Python files, the sheets, and what else the unit asks for."""
    asked = (*_SHEETS, *unit.files)
    found: list[Path] = []

    def note(error: OSError) -> None:
        problems.append(Problem(str(error.filename), "this folder may not be read"))

    for here, folders, names in os.walk(folder, onerror=note):
        folders[:] = sorted(
            name for name in folders if name not in _SKIPPED_FOLDERS and not name.startswith(".")
        )
        at_top = Path(here) == folder
        for name in sorted(names):
            if name.endswith(".py") or (at_top and name in asked):
                found.append(Path(here) / name)
    first = {stage_file(stage) for stage in STAGES} | set(asked)
    return sorted(found, key=lambda path: path.name not in first)


def _read(path: Path, root: Path, name: str, problems: list[Problem]) -> bytes | None:
    """Return the content of one regular file of acceptable size, or note why not."""
    try:
        if not path.resolve().is_relative_to(root.resolve()):
            problems.append(Problem(name, "this link leads out of the submission", "copy it in"))
            return None
        if name in _SHEETS and path.is_symlink():
            return None  # the sheet's own reader says what a link means
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            problems.append(Problem(name, "this is not a regular file"))
            return None
        if status.st_size > MAX_BYTES:
            problems.append(Problem(name, f"{status.st_size} bytes, more than {MAX_BYTES}"))
            return None
        return path.read_bytes()
    except FileNotFoundError:
        problems.append(Problem(name, "this link leads to a file that is not there"))
    except (OSError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "a link that leads to itself"
        problems.append(Problem(name, f"cannot be read: {reason}"))
    return None
