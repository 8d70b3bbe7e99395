"""The wheel: what it holds, and that a student can work from it alone."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from grader.course.content import Content

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (found,) = target.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    return target


def grade(installed: Path, cwd: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(installed), "COLUMNS": "200"}
    return subprocess.run(
        [sys.executable, "-P", "-m", "grader", *words],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_wheel_holds_the_course_under_the_package_and_nothing_beside_it(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {
        "grader",
        wheel.name.split("-py3")[0] + ".dist-info",
    }
    for inside in ("exercises", "solutions", "rubric"):
        here = {
            path.relative_to(ROOT).as_posix()
            for path in (ROOT / inside).rglob("*")
            if path.is_file() and "__pycache__" not in path.parts and ".grade" not in path.parts
        }
        prefix = "grader/_content/"
        there = {name.removeprefix(prefix) for name in names if name.startswith(prefix + inside)}
        assert here <= there


def test_the_installed_course_lists_its_units(installed: Path, tmp_path: Path) -> None:
    listed = grade(installed, tmp_path, "list")
    assert listed.returncode == 0, listed.stderr
    for folder in Content.at(ROOT).exercises.glob("u8*"):
        assert folder.name.removeprefix("u")[0] + "." in listed.stdout


def test_a_workspace_from_the_wheel_can_be_graded(installed: Path, tmp_path: Path) -> None:
    started = grade(installed, tmp_path, "start", "work")
    assert started.returncode == 0, started.stderr
    work = tmp_path / "work"
    assert not list(work.rglob("hidden"))
    assert not list(work.rglob("unit.toml"))
    graded = grade(installed, work, "unit", "8.9", "--task", "f")
    assert graded.returncode == 1, graded.stderr
    assert "not attempted" in graded.stdout


def test_hidden_content_inside_the_package_is_out_of_reach(installed: Path, tmp_path: Path) -> None:
    grade(installed, tmp_path, "start", "work")
    secret = installed / "grader" / "_content" / "solutions" / "u89_profiling" / "numpy_stage.py"
    assert secret.is_file()
    stage = tmp_path / "work" / "u89_profiling" / "numpy_stage.py"
    stolen = f"with open({str(secret)!r}) as file:\n    exec(file.read())\n"
    stage.write_text(stage.read_text() + "\n" + stolen)
    graded = grade(installed, tmp_path / "work", "unit", "8.9", "--task", "f")
    assert graded.returncode == 1
    assert "PermissionError" in graded.stdout
