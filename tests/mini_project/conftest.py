from __future__ import annotations

from collections.abc import Iterator

import pytest

from grader.checks.subject import Bench
from grader.grading import open_sandbox
from tests.mini_project.work import UNIT
from tests.units.course import CONTENT


@pytest.fixture(scope="session")
def bench() -> Iterator[Bench]:
    """The project's checks in one sandbox for all tests here."""
    with open_sandbox(UNIT, CONTENT) as sandbox:
        yield Bench(UNIT, sandbox)
