from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.checks.subject import Bench
from grader.grading import open_sandbox
from tests.mini_project.work import UNIT, Work, copied, solved
from tests.units.course import CONTENT


@pytest.fixture(scope="session")
def bench() -> Iterator[Bench]:
    """The project's checks in one sandbox for all tests here."""
    with open_sandbox(UNIT, CONTENT) as sandbox:
        yield Bench(UNIT, sandbox)


@pytest.fixture(scope="session")
def solved_once(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Work:
    """A solved project, which nobody may change."""
    return solved(tmp_path_factory.mktemp("solved"), "clip", "mlp", bench.sandbox)


@pytest.fixture
def solution(solved_once: Work, tmp_path: Path) -> Work:
    """A solved project to spoil."""
    return copied(solved_once, tmp_path / "work")
