from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from grader.course.content import Content
from grader.course.unit import Unit
from tests.cli.conftest import Grade


def test_an_untouched_workspace_shows_what_to_do_first(grade: Grade, work: Path) -> None:
    ran = grade("ready")
    assert ran.status == 1
    assert "0/2" in ran.out
    assert "0/2" in ran.out.split("self-test")[1]
    assert "timing not graded" in " ".join(ran.out.split())
    assert "next: Double a number, about 5 minutes: grade unit 9.1 --task a" in ran.out
    assert ran.err == ""


def test_solved_sealed_graded_and_self_tested_is_ready(
    grade: Grade, work: Path, course: tuple[Content, Unit]
) -> None:
    content, unit = course
    for source in (content.solutions / unit.folder).iterdir():
        if source.is_file():
            (work / unit.folder / source.name).write_bytes(source.read_bytes())
    assert grade("predict", "9.1").status == 0
    assert grade("unit", "9.1").status == 0
    ran = grade("ready")
    assert "Nothing is missing: you are ready for the capstone." in ran.out
    assert ran.status == 0
    (work / unit.folder / "selftest.toml").write_text("q1 = 5\n")
    assert "questions to go" in grade("ready").out
    stage = work / unit.folder / "numpy_stage.py"
    stage.write_text(stage.read_text() + "\n# one more thought\n")
    assert "the files have changed since" in grade("ready").out


def test_the_same_as_json(grade: Grade, work: Path) -> None:
    found = json.loads(grade("ready", "--json").out)
    assert found["ready"] is False
    (unit,) = found["units"]
    assert (unit["id"], unit["done"], unit["tasks"]) == ("9.1", 0, 2)
    assert found["minutes"] == unit["minutes"] > 0


def test_outside_a_workspace_everything_is_missing(
    grade: Grade, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert grade("ready").status == 1


def test_it_imports_nothing_heavy() -> None:
    code = (
        "import sys; from grader.cli.entry import run; run(['ready'])\n"
        "heavy = {'numpy', 'torch', 'jsonschema', 'pytest'} & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    root = Path(__file__).parents[2]
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False
    )
    assert found.stderr == ""
