from __future__ import annotations

from collections.abc import Iterator

import pytest

from grader.checks.subject import Bench
from grader.course.content import Content
from grader.course.unit import Unit
from grader.grading import open_sandbox
from tests.toy_unit import make_toy


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> tuple[Content, Unit]:
    return make_toy(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="module")
def bench(toy: tuple[Content, Unit]) -> Iterator[Bench]:
    content, unit = toy
    with open_sandbox(unit, content) as sandbox:
        yield Bench(unit, sandbox)
