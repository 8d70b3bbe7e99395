from __future__ import annotations

import errno
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.checks.evidence import Status
from grader.course.unit import Unit
from grader.report.model import build_report
from grader.report.write import ReportError, report_text, write_report
from tests.report.conftest import circumstances, evidence


@pytest.fixture
def report(unit: Unit) -> dict[str, Any]:
    return build_report(unit, circumstances(), evidence=[evidence("a")])


def test_a_report_is_written_where_it_should_be(
    report: dict[str, Any], tmp_path: Path, schema_path: Path
) -> None:
    path = tmp_path / "reports" / "8.4.json"
    write_report(report, path, schema_path)
    assert json.loads(path.read_text()) == report
    assert list(path.parent.iterdir()) == [path]


def test_a_report_that_breaks_its_schema_is_not_written(
    report: dict[str, Any], tmp_path: Path, schema_path: Path
) -> None:
    broken = report | {"seed": "", "rows": 3}
    with pytest.raises(ReportError) as caught:
        write_report(broken, tmp_path / "8.4.json", schema_path)
    assert {problem.where for problem in caught.value.problems} == {"$.rows", "$.seed"}
    assert not list(tmp_path.iterdir())


CALLS = [
    (tempfile, "mkstemp"),
    (os, "write"),
    (os, "fsync"),
    (os, "close"),
    (Path, "chmod"),
    (os, "replace"),
]


def failing(original: Callable[..., Any], name: str, code: int) -> Callable[..., Any]:
    def fail(*args: Any, **kwargs: Any) -> Any:
        if name == "close":
            original(*args, **kwargs)  # a close that reports an error has closed all the same
        raise OSError(code, os.strerror(code))

    return fail


@pytest.mark.parametrize(("owner", "name"), CALLS, ids=[name for _, name in CALLS])
def test_a_failure_at_any_call_leaves_the_old_report_and_no_litter(
    report: dict[str, Any],
    tmp_path: Path,
    schema_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    owner: Any,
    name: str,
) -> None:
    path = tmp_path / "8.4.json"
    write_report(report, path, schema_path)
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, failing(getattr(owner, name), name, errno.ENOSPC))
        with pytest.raises(ReportError, match=r"8\.4\.json: the disk is full; free some space"):
            write_report(report | {"seed": "other"}, path, schema_path)
    assert json.loads(path.read_text())["seed"] == "7f3a"
    assert list(tmp_path.iterdir()) == [path]


def test_a_write_that_takes_only_part_is_continued(
    report: dict[str, Any], tmp_path: Path, schema_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: write(handle, data[:7]))
    write_report(report, tmp_path / "8.4.json", schema_path)
    assert json.loads((tmp_path / "8.4.json").read_text()) == report


def test_an_interrupt_leaves_no_litter_either(
    report: dict[str, Any], tmp_path: Path, schema_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*args: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_report(report, tmp_path / "8.4.json", schema_path)
    assert not list(tmp_path.iterdir())


def test_a_file_where_the_folder_should_be_is_named(
    report: dict[str, Any], tmp_path: Path, schema_path: Path
) -> None:
    (tmp_path / "reports").write_text("")
    with pytest.raises(ReportError, match="cannot be written"):
        write_report(report, tmp_path / "reports" / "8.4.json", schema_path)


def test_the_text_of_a_report_is_safe_to_print(unit: Unit) -> None:
    nasty = evidence("a", Status.NOT_MET, output="\x1b[2J\u202e\x9b31m\ud800 µ")
    text = report_text(build_report(unit, circumstances(), evidence=[nasty]))
    assert all(c == "\n" or " " <= c <= "~" for c in text)
    assert json.loads(text)["checks"][0]["output"] == nasty.output
