"""What the sheets answer for the charts of a report can be read, and agrees with their values."""

from __future__ import annotations

import importlib
from itertools import pairwise
from types import ModuleType
from typing import Any

import pytest
import torch

from grader.predictions.quantity import show
from grader.predictions.series import Bars, Lanes, Layers, read_series
from tests.units.course import CONTENT


@pytest.fixture(autouse=True)
def _as_in_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(CONTENT.exercises))
    torch.set_num_threads(1)


def probes(folder: str) -> ModuleType:
    return importlib.import_module(f"exercises.{folder}.hidden.probes.sheet")


def test_the_phases_of_a_step_are_shown_with_their_spread() -> None:
    answer: Any = probes("u89_profiling").measure_slowest_phase(None, {"seed": 1})
    series = read_series(answer["series"])
    assert isinstance(series, Bars)
    assert [bar.name for bar in series.rows] == list(answer["terms"])
    for bar in series.rows:
        assert bar.low is not None
        assert bar.high is not None
        assert bar.low <= bar.middle <= bar.high


def test_a_timer_encloses_what_it_prints() -> None:
    sheet = probes("u82_timing")
    series = read_series(sheet.measure_sync_moved(None, {})["series"])
    assert isinstance(series, Lanes)
    timers = {lane.name: lane.spans[0] for lane in series.rows if len(lane.spans) == 1}
    for name, measure in (
        ("no sync", sheet.measure_naive_timer),
        ("sync at the end", sheet.measure_end_only_timer),
        ("sync at both ends", sheet.measure_honest_timer),
    ):
        value = measure(None, {})["value"]
        assert timers[name].end - timers[name].start == pytest.approx(value)
        assert timers[name].name == f"prints {show(value, 's')}"
    devices = [lane for lane in series.rows if lane.name == "its device"]
    assert all(lane.spans[0].name == "older work" for lane in devices)
    assert all(
        after.start >= before.end - 1e-12
        for lane in devices
        for before, after in pairwise(lane.spans)
    )


def test_the_costs_of_a_step_are_those_of_its_measurement() -> None:
    answer = probes("u82_timing").measure_bottleneck(None, {})
    series = read_series(answer["series"])
    assert isinstance(series, Bars)
    assert {bar.name: bar.middle for bar in series.rows} == answer["terms"]


def test_memory_over_the_step_has_the_peaks_and_the_parts_that_were_measured() -> None:
    sheet = probes("u83_memory")
    answer = sheet.measure_peak_phase(None, {})
    series = read_series(answer["series"])
    assert isinstance(series, Layers)
    sums = [sum(column) for column in zip(*(row.values for row in series.rows), strict=True)]
    begin = 0
    for part in series.parts:
        assert max(sums[begin : begin + part.moments]) == answer["terms"][part.name]
        begin += part.moments
    step = sheet.measure_step_peak(None, {})
    assert max(sums) == step["value"]
    peak = sums.index(max(sums))
    found = {row.name: row.values[peak] for row in series.rows}
    assert found["batch"] == step["terms"]["batch"]
    assert found["gradients"] == step["terms"]["gradients"]
    assert found["activations and temporaries"] == step["terms"]["optimizer_temporaries"]
    assert min(min(row.values) for row in series.rows) >= 0
