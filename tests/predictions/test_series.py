from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.predictions.series import Bars, Lanes, Layers, read_series, series_data

BARS = {
    "kind": "bars", "title": "t", "unit": "s", "note": "n", "reference": None,
    "rows": [{"name": "a", "middle": 1, "low": 0.5, "high": None}],
}  # fmt: skip
LAYERS = {
    "kind": "layers", "title": "t", "unit": "B", "note": "n",
    "rows": [{"name": "a", "values": [1, 2, 3]}],
    "parts": [{"name": "p", "moments": 1}, {"name": "q", "moments": 2}],
}  # fmt: skip
LANES = {
    "kind": "lanes", "title": "t", "unit": "s", "note": "n",
    "rows": [{"name": "a", "spans": [{"name": "s", "start": 0, "end": 1.5}]}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("raw", "kind"),
    [(BARS, Bars), (LAYERS, Layers), (LANES, Lanes)],
    ids=["bars", "layers", "lanes"],
)
def test_a_series_is_read_and_written_back(raw: dict[str, Any], kind: type) -> None:
    series = read_series(raw)
    assert isinstance(series, kind)
    assert series_data(series) == raw
    assert read_series(json.loads(json.dumps(raw))) == series


def test_what_a_probe_may_leave_out_is_left_out() -> None:
    raw = {"kind": "bars", "title": "t", "unit": "1", "rows": [{"name": "a", "middle": 1}]}
    series = read_series(raw)
    assert series is not None
    assert series_data(series) == {
        **raw, "note": "", "reference": None,
        "rows": [{"name": "a", "middle": 1, "low": None, "high": None}],
    }  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "pie"}, {"kind": []}, {"unit": "kg"}, {"unit": {}}, {"title": 3},
        {"title": "x" * 201}, {"note": None},
        {"rows": []}, {"rows": "ab"}, {"rows": [1]}, {"rows": [{"name": "a"}]},
        {"rows": [{"name": "a", "middle": True}]}, {"rows": [{"name": "a", "middle": math.nan}]},
        {"rows": [{"name": "a", "middle": math.inf}]}, {"rows": [{"name": "a", "middle": "1"}]},
        {"rows": [{"name": "a", "middle": 10**31}]}, {"rows": [{"name": "a", "middle": 1}] * 25},
        {"reference": "1"},
    ],
)  # fmt: skip
def test_what_is_no_series_is_left_out(change: dict[str, Any]) -> None:
    assert read_series({**BARS, **change}) is None


def test_layers_have_as_many_values_as_their_parts_have_moments() -> None:
    assert read_series({**LAYERS, "parts": [{"name": "p", "moments": 2}]}) is None
    assert read_series({**LAYERS, "parts": [{"name": "p", "moments": 0}]}) is None


def test_a_span_ends_after_it_starts() -> None:
    spans = [{"name": "s", "start": 2, "end": 1}]
    assert read_series({**LANES, "rows": [{"name": "a", "spans": spans}]}) is None


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(list(BARS)), inner),
)


@given(plain)
def test_nothing_that_a_ledger_may_hold_breaks_it(raw: Any) -> None:
    read_series(raw)
