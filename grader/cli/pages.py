"""Pages of reports: what can keep one from being written is found out before anything is graded."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from grader.cli.places import shown
from grader.course.content import installed_content
from grader.durable import replace_file
from grader.errors import Problem, UsageError
from grader.report.write import ReportError, schema_problems

_SCHEMA = "report-1.json"


def check_target(path: Path) -> None:
    """Make sure that a page can be made and has a place.

    Raises:
        UsageError: if a library is missing, or the path cannot be a file.
    """
    from grader.report.page.render import require_page_libraries

    require_page_libraries()
    if path.is_dir():
        raise UsageError(Problem(str(path), "this is a folder", "name a file, such as page.html"))
    if not path.parent.is_dir():
        raise UsageError(Problem(str(path.parent), "there is no such folder", "make it first"))


def write_page(report: Mapping[str, Any], path: Path) -> None:
    """Make the page of a report and put it at `path`, whole or not at all.

    Raises:
        ReportError: if it cannot be written.
    """
    from grader.report.page.render import page

    try:
        replace_file(path, page(report).encode("utf-8"))
    except OSError as error:
        raise ReportError(Problem(str(path), f"cannot be written: {error.strerror}")) from error


def page_of_file(source: Path, target: Path) -> int:
    """Make the page of the report in a file; return the exit status.

    Raises:
        EvidenceError: if it is no report, or the page has no place.
    """
    check_target(target)
    try:
        report = json.loads(source.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(Problem(str(source), f"cannot be read: {error.strerror}")) from error
    except (ValueError, RecursionError) as error:
        raise UsageError(Problem(str(source), "this is no report", "name a report.json")) from error
    breaches = schema_problems(report, installed_content().rubric / "schema" / _SCHEMA)
    if breaches:
        first = textwrap.shorten(f"{breaches[0].where}: {breaches[0].seen}", 200, placeholder="...")
        raise UsageError(Problem(str(source), f"this is no report; {first}", "grade again"))
    write_page(report, target)
    click.echo(f"page: {shown(target)}")
    return 0
