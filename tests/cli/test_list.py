from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from grader.cli.listing import unit_lines
from grader.course.unit import Unit
from grader.report.history import read_reports, tasks_done
from tests.cli.conftest import Grade


def write(folder: Path, name: str, started: str, **statuses: str | list[str]) -> None:
    checks: list[dict[str, Any]] = []
    for letter, found in statuses.items():
        for status in [found] if isinstance(found, str) else found:
            checks.append({"task": f"9.1.{letter}", "status": status})
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps({"started": started, "checks": checks}))


def done(folder: Path) -> frozenset[str]:
    reports, problems = read_reports(folder)
    assert not problems
    return tasks_done(reports)


@pytest.mark.parametrize(
    ("statuses", "counts"),
    [
        (["met", "met"], True),
        (["met", "inconclusive"], True),
        (["met", "skipped"], True),
        (["met", "not met"], False),
        (["met", "stopped"], False),
        (["not attempted"], False),
        (["inconclusive"], False),
        (["skipped"], False),
    ],
)
def test_a_task_is_done_when_something_is_met_and_nothing_is_not(
    tmp_path: Path, statuses: list[str], counts: bool
) -> None:
    write(tmp_path, "9.1.json", "2026-03-01T12:00:00Z", a=statuses)
    assert ("9.1.a" in done(tmp_path)) == counts


def test_the_latest_report_of_a_task_counts(tmp_path: Path) -> None:
    write(tmp_path, "9.1.a.json", "2026-03-02T12:00:00Z", a="met")
    write(tmp_path, "9.1.json", "2026-03-01T12:00:00Z", a="not met", b="met")
    assert done(tmp_path) == {"9.1.a", "9.1.b"}


@pytest.mark.parametrize("text", ["", "{", "[]", '{"checks": 3}', "[" * 9999, "\x00"])
def test_a_file_that_is_no_report_is_named_and_left_aside(tmp_path: Path, text: str) -> None:
    write(tmp_path, "9.1.json", "2026-03-01T12:00:00Z", a="met")
    (tmp_path / "broken.json").write_text(text)
    reports, problems = read_reports(tmp_path)
    assert tasks_done(reports) == {"9.1.a"}
    assert [Path(problem.where).name for problem in problems] == ["broken.json"]


def test_no_reports_are_no_problem(tmp_path: Path) -> None:
    assert read_reports(tmp_path / "nowhere") == ([], [])
    assert tasks_done([]) == frozenset()


@pytest.mark.parametrize("width", [30, 80])
def test_a_unit_is_shown_with_hours_progress_and_rows(
    toy_course: tuple[object, Unit], width: int
) -> None:
    lines = unit_lines([toy_course[1]], frozenset({"9.1.a"}), width)
    words = " ".join(" ".join(lines).split())
    assert words == "9.1 A toy unit 0.5 h 1 of 2 tasks done timing, prediction"
    assert all(len(line) <= width for line in lines)


def test_the_list_counts_what_the_workspace_has_done(grade: Grade, work: Path) -> None:
    write(work / ".grade" / "reports", "9.1.json", "2026-03-01T12:00:00Z", a="met", b="not met")
    ran = grade("list")
    assert ran.status == 0
    assert "9.1  A toy unit" in ran.out
    assert "1 of 2 tasks done" in ran.out


def test_the_list_finds_the_workspace_from_inside_a_unit(
    grade: Grade, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(work / ".grade" / "reports", "9.1.json", "2026-03-01T12:00:00Z", a="met")
    monkeypatch.chdir(work / "u91_toy")
    assert "1 of 2 tasks done" in grade("list").out


def test_the_list_imports_nothing_heavy() -> None:
    code = (
        "import sys; from grader.cli.entry import run; status = run(['list'])\n"
        "heavy = {'numpy', 'torch', 'jsonschema', 'rich', 'pytest'} & set(sys.modules)\n"
        "sys.exit(f'{status} {heavy}' if status or heavy else 0)"
    )
    root = Path(__file__).parents[2]
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False
    )
    assert found.stderr == ""
    assert found.returncode == 0
