"""Write a report: validated first, then so that a reader never sees half of one."""

from __future__ import annotations

import errno
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from grader.durable import replace_file
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

    Raises:
        ReportError: if the report breaks its schema, or cannot be written.
    """
    breaches = schema_problems(report, schema_path)
    if breaches:
        raise ReportError(breaches)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, report_text(report).encode("ascii"))
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
