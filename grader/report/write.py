"""Write a report: validated first, then so that a reader never sees half of one."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from grader.errors import EvidenceError, Problem

_REASONS = {
    errno.ENOSPC: ("the disk is full", "free some space and grade again"),
    errno.EDQUOT: ("your disk quota is used up", "free some space and grade again"),
    errno.EROFS: ("this file system is read-only", "grade from a folder you may write to"),
    errno.EACCES: ("this folder may not be written to", "grade from a folder of your own"),
    errno.EPERM: ("this folder may not be written to", "grade from a folder of your own"),
}


class ReportError(EvidenceError):
    """A report is not what its schema says, or cannot be written."""


def write_report(report: Mapping[str, Any], path: Path, schema_path: Path) -> None:
    """Validate `report` and put it at `path`, whole or not at all.

    The text goes to a file in the same folder, reaches the disk, and takes the old report's place
    in one step; whatever fails on the way leaves the old report as it was, and no other file.

    Raises:
        ReportError: if the report breaks its schema, or cannot be written.
    """
    breaches = schema_problems(report, schema_path)
    if breaches:
        raise ReportError(breaches)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, report_text(report).encode("ascii"))
    except OSError as error:
        seen, todo = _REASONS.get(error.errno or 0, (f"cannot be written: {error.strerror}", ""))
        raise ReportError(Problem(str(path), seen, todo)) from error


def report_text(report: Mapping[str, Any]) -> str:
    """Return a report as JSON in ASCII, which is safe to print whatever a student wrote."""
    return json.dumps(report, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def schema_problems(report: Mapping[str, Any], schema_path: Path) -> list[Problem]:
    """Return every way in which `report` differs from the schema."""
    errors = sorted(_validator(schema_path).iter_errors(report), key=lambda error: error.json_path)
    return [Problem(error.json_path, error.message) for error in errors]


@cache
def _validator(schema_path: Path) -> Any:
    import jsonschema

    schema = json.loads(schema_path.read_text(encoding="utf-8"))
    return jsonschema.Draft202012Validator(schema)


def _replace(path: Path, content: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    draft = Path(name)
    try:
        try:
            _write_all(handle, content)
            os.fsync(handle)
        finally:
            os.close(handle)
        draft.chmod(0o644)
        os.replace(draft, path)  # noqa: PTH105 - the call whose atomicity this module rests on
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise
    _sync_folder(path.parent)


def _write_all(handle: int, content: bytes) -> None:
    """Write all of `content`; one `os.write` may take only part of it when the disk fills up."""
    view = memoryview(content)
    while view:
        view = view[os.write(handle, view) :]


def _sync_folder(folder: Path) -> None:
    """Make the new name last through a power cut, where folders can be opened at all."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        with contextlib.suppress(OSError):
            os.fsync(handle)
    finally:
        os.close(handle)
