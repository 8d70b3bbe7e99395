from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from grader.checks.evidence import Evidence
from grader.course.content import Content, installed_content
from grader.course.unit import Unit
from grader.errors import Problem
from grader.grading import open_sandbox
from grader.predictions.ledger import LEDGER_FILE, Ledger
from grader.predictions.seal import seal_sheet
from grader.sandbox.client import Sandbox
from tests.toy_unit import make_toy


class Recorder:
    """A listener that keeps what it hears."""

    def __init__(self) -> None:
        self.heard: list[Evidence] = []
        self.said: list[str] = []
        self.words = ""

    def started(self, unit: Unit, seed: str, versions: dict[str, str | None], words: str) -> None:
        self.words = words

    def problems(self, problems: Sequence[Problem]) -> None:
        self.said += [str(problem) for problem in problems]

    def evidence(self, evidence: Evidence) -> None:
        self.heard.append(evidence)

    def note(self, text: str) -> None:
        self.said.append(text)


class Workspace:
    """A student's folder for the toy unit, solved, with an empty ledger."""

    def __init__(self, root: Path, content: Content, unit: Unit, sandbox: Sandbox) -> None:
        self.root, self.content, self.unit, self.sandbox = root, content, unit, sandbox
        shutil.copytree(content.solutions / unit.folder, root / unit.folder)
        shutil.rmtree(root / unit.folder / "faults")

    @property
    def sheet(self) -> Path:
        return self.root / self.unit.folder / "prediction.toml"

    @property
    def ledger(self) -> Ledger:
        return Ledger(self.root / LEDGER_FILE)

    def predict(self, value: str) -> None:
        self.sheet.write_text(f'elements = "{value}"\n')

    def seal(self) -> None:
        seal_sheet(self.sheet, self.unit, self.ledger)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> tuple[Content, Unit]:
    root = tmp_path_factory.mktemp("course")
    shutil.copytree(installed_content().rubric, root / "rubric")
    return make_toy(root)


@pytest.fixture(scope="module")
def sandbox(course: tuple[Content, Unit]) -> Iterator[Sandbox]:
    content, unit = course
    with open_sandbox(unit, content) as opened:
        yield opened


@pytest.fixture
def work(tmp_path: Path, course: tuple[Content, Unit], sandbox: Sandbox) -> Workspace:
    return Workspace(tmp_path / "work", *course, sandbox)
