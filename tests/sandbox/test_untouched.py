"""What was replaced in measuring code is named; what only keeps data of its own is not."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType

import pytest

from grader.sandbox.untouched import held, replaced

TEXT = """
import math
state = {}
class Counter:
    limit = 3
    def __init__(self): self.seen = 0
    @property
    def own(self): return self.seen
    @staticmethod
    def zero(): return 0
def measure(n=1): return n
"""


@pytest.fixture
def measuring(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = ModuleType("measuring_code.part")
    exec(TEXT, module.__dict__)
    for value in (module.Counter, module.measure):
        value.__module__ = module.__name__
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


def test_use_is_no_replacement(measuring: ModuleType) -> None:
    measuring.__compiled_fn_1 = measuring.measure
    before = held(["measuring_code"])
    del measuring.__compiled_fn_1
    measuring.state["calls"] = measuring.measure(2)
    measuring.Counter.limit = 5
    measuring.more = measuring.Counter().own
    assert replaced(before) == ""


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (lambda m: setattr(m, "measure", lambda n=1: 0), "part.measure"),
        (lambda m: setattr(m.measure, "__code__", (lambda n=1: 0).__code__), "part.measure"),
        (lambda m: setattr(m.Counter, "own", 0), "part.Counter.own"),
        (lambda m: setattr(m.Counter.own.fget, "__code__", (lambda s: 0).__code__), "Counter.own"),
        (lambda m: setattr(m.Counter, "zero", staticmethod(lambda: 1)), "part.Counter.zero"),
        (lambda m: delattr(m, "Counter"), "part.Counter"),
        (lambda m: setattr(m, "math", ModuleType("math")), "part.math"),
        (lambda m: sys.modules.__setitem__(m.__name__, ModuleType(m.__name__)), "part"),
    ],
)
def test_what_is_another_now_is_named(
    change: Callable[[ModuleType], object], name: str, measuring: ModuleType
) -> None:
    before = held(["measuring_code"])
    change(measuring)
    assert replaced(before).endswith(name)
