from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Grade
from tests.cli.test_unit import Script, found, script

__all__ = ["script"]


def test_a_grade_leaves_a_page_where_it_is_told(grade: Grade, work: Path, script: Script) -> None:
    script.evidence = [found()]
    ran = grade("unit", "9.1", "--html", "page.html")
    assert ran.status == 0
    assert ran.out.splitlines()[-1] == "  page: page.html"
    text = (work / "page.html").read_text()
    assert text.startswith("<!DOCTYPE html>")
    assert "Twice is twice." in text


def test_json_stays_alone_on_stdout(grade: Grade, work: Path, script: Script) -> None:
    ran = grade("unit", "9.1", "--json", "--html", "page.html")
    json.loads(ran.out)
    assert ran.err == "  page: page.html\n"


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (".", "error: .: this is a folder; name a file, such as page.html"),
        ("no/page.html", "error: no: there is no such folder; make it first"),
    ],
)
def test_a_page_without_a_place_is_refused_before_anything_is_graded(
    grade: Grade, work: Path, script: Script, target: str, said: str
) -> None:
    ran = grade("unit", "9.1", "--html", target)
    assert (ran.status, ran.err.strip()) == (2, said)
    assert not script.finished


def test_a_missing_library_is_named_before_anything_is_graded(
    grade: Grade, work: Path, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "matplotlib" else real(name)
    )
    ran = grade("unit", "9.1", "--html", "page.html")
    assert ran.status == 2
    assert "a page needs matplotlib; python -m pip install 'torch-evidence[report]'" in ran.err
    assert not script.finished


def test_an_earlier_report_becomes_a_page(grade: Grade, work: Path, script: Script) -> None:
    script.evidence = [found()]
    (work / "report.json").write_text(grade("unit", "9.1", "--json").out)
    ran = grade("page", "report.json", "page.html")
    assert (ran.status, ran.out) == (0, "page: page.html\n")
    assert "Twice is twice." in (work / "page.html").read_text()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be read: No such file or directory"),
        ("{", "this is no report; name a report.json"),
        ("[]", "this is no report; $: [] is not of type 'object'; grade again"),
        (json.dumps([0] * 10_000), "...; grade again"),
        ('{"schema": "report-1"}', "this is no report; $: 'unit' is a required property"),
    ],
)
def test_what_is_no_report_is_said_in_one_line(
    grade: Grade, work: Path, content: str | None, said: str
) -> None:
    if content is not None:
        (work / "report.json").write_text(content)
    ran = grade("page", "report.json", "page.html")
    assert ran.status == 2
    assert said in ran.err
    assert ran.err.count("\n") == 1
    assert not (work / "page.html").exists()


def test_other_commands_load_nothing_of_a_page(work: Path) -> None:
    code = (
        "import sys; from grader.cli.entry import run; run(['list']); "
        "sys.exit(bool({'matplotlib', 'jinja2'} & set(sys.modules)))"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode
        == 0
    )
