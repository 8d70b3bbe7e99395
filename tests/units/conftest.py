from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from grader.checks.subject import Bench
from grader.course.unit import Unit
from grader.grading import open_sandbox
from tests.units.course import CONTENT

BenchOf = Callable[[Unit], Bench]


@pytest.fixture(scope="session")
def bench_of() -> Iterator[BenchOf]:
    """Return the bench of a unit; a sandbox is opened once for each unit that is asked for."""
    benches: dict[str, Bench] = {}
    with ExitStack() as opened:

        def bench_of(unit: Unit) -> Bench:
            if unit.id not in benches:
                sandbox = opened.enter_context(open_sandbox(unit, CONTENT))
                benches[unit.id] = Bench(unit, sandbox)
            return benches[unit.id]

        yield bench_of
