from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from grader.checks.subject import Bench
from grader.course.unit import Unit
from grader.grading import open_sandbox
from tests.units.course import CONTENT

BenchOf = Callable[[Unit], Bench]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of a unit that share a bench on one process, which opens it once.

    Those of the mini-project are few and long: they go wherever there is room.
    """
    for item in items:
        unit = getattr(item, "callspec", None) and item.callspec.params.get("unit")
        if isinstance(unit, Unit) and "bench_of" in item.fixturenames and not unit.files:
            item.add_marker(pytest.mark.xdist_group(unit.id))


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
