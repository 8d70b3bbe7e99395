"""In the worker: load a stage or the probes by their path, and tell where an exception arose."""

from __future__ import annotations

import importlib.util
import linecache
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.machinery import FileFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

MOST_TEXT = 4096


class SourceOnly(SourceFileLoader):
    """Runs the text that a person can read, never a byte-code file that came beside it."""

    def get_code(self, fullname: str) -> CodeType:
        """Compile the source."""
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code


def load(path: Path, name: str) -> ModuleType:
    """Import one file, or a folder as a package, under a name; what its code raises passes."""
    inside = [str(path)] if path.is_dir() else None
    file = path / "__init__.py" if inside else path
    loader = SourceOnly(name, str(file))
    spec = importlib.util.spec_from_file_location(
        name, file, loader=loader, submodule_search_locations=inside
    )
    if spec is None:
        raise ImportError(f"{path.name} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    loader.exec_module(module)
    return module


def load_stage(path: Path) -> ModuleType:
    """Import a student's stage; `open_folder` has put its folder on the path already."""
    if not path.is_file():
        raise FileNotFoundError(f"{path.name} is missing")
    return load(path, path.stem)


def open_folder(folder: Path) -> None:
    """Put a folder first on the import path, and let Python list all folders of the path now.

    Confinement may forbid to list a folder that holds something hidden; the importer's memory of
    it still finds what may be read.
    """

    def finder(path: str) -> FileFinder:
        if path != str(folder) and not path.startswith(f"{folder}/"):
            raise ImportError
        return FileFinder(path, (SourceOnly, [".py"]))

    sys.path_hooks.insert(0, finder)
    sys.path.insert(0, str(folder))
    importlib.util.find_spec("a_module_that_is_nowhere")


@contextmanager
def closed_folder(folder: Path | None) -> Iterator[None]:
    """Import nothing from a folder of the path for a while, whatever its files are called."""
    path = sys.path[:]
    sys.path[:] = [entry for entry in path if entry != str(folder)]
    try:
        yield
    finally:
        sys.path[:] = path


@dataclass(frozen=True, slots=True)
class Files:
    """Which files are the student's: those in the stage's folder, but for the probes."""

    folder: Path | None = None
    probes: Path | None = None

    def own(self, name: str | None) -> str | None:
        """Return a file's name relative to the stage's folder; None if it is not the student's."""
        if self.folder is None or not name or self._is_probe(name):
            return None
        prefix = f"{self.folder}/"
        return name.removeprefix(prefix) if name.startswith(prefix) else None

    def _is_probe(self, name: str) -> bool:
        return name == str(self.probes) or name.startswith(f"{self.probes}/")


def describe(
    error: BaseException, files: Files, blame: tuple[str, int | None] | None
) -> dict[str, Any]:
    """Return an exception as plain data, with its last place within the student's files.

    Args:
        error: What was raised.
        files: Which files are the student's.
        blame: The place to name when no frame lies in them, because the student's file could not
            be imported, or its function not be called.
    """
    where = _place(error, files) or blame
    found = {"type": type(error).__name__, "message": _text(error), "in_stage": where is not None}
    if where is not None and files.folder is not None:
        name, line = where
        found |= {"stage_file": name, "stage_line": line}
        if line is not None:
            found["source"] = _source(files.folder / name, line)
    return found


def _text(error: BaseException) -> str:
    try:
        return str(error.msg if isinstance(error, SyntaxError) else error)[:MOST_TEXT]
    except BaseException as second:  # an exception class of the student's may fail even at this
        return f"(its text raised {type(second).__name__})"


def _place(error: BaseException, files: Files) -> tuple[str, int | None] | None:
    if isinstance(error, SyntaxError) and (name := files.own(error.filename)):
        return name, error.lineno
    frames = list(traceback.walk_tb(error.__traceback__))
    for frame, line in reversed(frames):
        if name := files.own(frame.f_code.co_filename):
            return name, line
    return None


def _source(path: Path, line: int) -> str:
    try:
        return linecache.getline(str(path), line).strip()[:200]
    except Exception:  # a courtesy only; the file may have gone
        return ""
