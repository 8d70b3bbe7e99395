from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader.checks import contract
from grader.course.unit import SheetField

SERIES = {"kind": "bars", "title": "t", "unit": "s", "rows": [{"name": "a", "middle": 1.0}]}


@pytest.mark.parametrize(
    ("series", "said"),
    [
        (None, []),
        (SERIES, []),
        (SERIES | {"kind": "pie"}, ["field peak: its series is of no kind that can be shown"]),
    ],
)
def test_a_series_that_cannot_be_shown_is_named(
    monkeypatch: pytest.MonkeyPatch, series: Any, said: list[str]
) -> None:
    field = SheetField("peak", "exact", "Peak", "B", terms=("state",), measure="peak")
    bench: Any = SimpleNamespace(unit=SimpleNamespace(path=Path("u"), fields=(field,)))
    raw = {"peak": {"value": 1000, "terms": {"state": 600}, "series": series}}
    monkeypatch.setattr(contract, "measure_fields", lambda *_: raw)
    assert [problem.seen for problem in contract.measured_problems(bench)] == said
