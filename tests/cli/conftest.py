from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import grader.course.content as content_module
from grader.cli.entry import run
from grader.course.content import Content, installed_content
from grader.course.unit import Unit
from tests.toy_unit import make_toy

KEY = """\
unit = "9.1"
[[question]]
id = "q1"
text = "What is twice two?"
kind = "number"
answer = "4"
pointer = "See the lesson on doubling."
[[question]]
id = "q2"
text = "Which stage has tensors?"
kind = "choice"
choices = ["numpy", "torch"]
answer = "torch"
"""


@dataclass(frozen=True)
class Ran:
    """What one command did."""

    status: int
    out: str
    err: str


Grade = Callable[..., Ran]


@pytest.fixture(scope="session")
def toy_course(tmp_path_factory: pytest.TempPathFactory) -> tuple[Content, Unit]:
    root = tmp_path_factory.mktemp("course")
    shutil.copytree(installed_content().rubric, root / "rubric")
    content, unit = make_toy(root)
    (content.solutions / unit.folder / "selftest.toml").write_text(KEY)
    blank = KEY.replace('"4"', '""').replace('answer = "torch"', 'answer = ""')
    (content.exercises / unit.folder / "selftest.toml").write_text(blank)
    return content, unit


@pytest.fixture
def course(
    toy_course: tuple[Content, Unit], monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Content, Unit]]:
    """Let the command line find the toy unit instead of the real course."""
    content, _ = toy_course
    monkeypatch.setattr(content_module, "_PACKAGE", content.exercises.parent / "grader")
    installed_content.cache_clear()
    yield toy_course
    installed_content.cache_clear()


@pytest.fixture
def grade(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Grade:
    """Run one command in this process, as the console script would."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("TORCH_EVIDENCE_DEBUG", raising=False)

    def call(*arguments: str) -> Ran:
        capsys.readouterr()
        status = run(arguments)
        said = capsys.readouterr()
        return Ran(status, said.out, said.err)

    return call


@pytest.fixture
def work(course: tuple[Content, Unit], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A student's workspace with the stubs of the toy unit, and the current folder."""
    content, unit = course
    root = tmp_path / "work"
    shutil.copytree(
        content.exercises / unit.folder,
        root / unit.folder,
        ignore=shutil.ignore_patterns("hidden", "unit.toml"),
    )
    monkeypatch.chdir(root)
    return root
