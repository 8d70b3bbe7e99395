from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.report.page.figure import svg
from grader.report.page.waterfall import steps, waterfall
from tests.report.page.reading import read


def field(
    predicted: float,
    measured: float,
    *sizes: float | None,
    state: str = "explained",
    unit: str = "B",
) -> dict[str, Any]:
    terms = [{"name": f"term_{i}", "amount": "1 B", "size": size} for i, size in enumerate(sizes)]
    numbers = {"unit": unit, "predicted": predicted, "measured": measured}
    return {"field": "peak_bytes", "state": state, "terms": terms, "numbers": numbers}


def told(found: dict[str, Any]) -> list[tuple[str, float]]:
    return [(step.name, step.size) for step in steps(found)]


def test_prediction_and_terms_lead_to_the_measurement() -> None:
    assert told(field(100, 160, 80, -20)) == [
        ("predicted", 100), ("term_0", 80), ("term_1", -20), ("measured", 160),
    ]  # fmt: skip


def test_what_no_believed_term_accounts_for_is_a_step_of_its_own() -> None:
    assert told(field(100, 160, 80, None, state="not explained"))[1:3] == [
        ("term_0", 80), ("not explained", -20),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("state", "name"), [("within band", "within the band"), ("inconclusive", "left open")]
)
def test_the_rest_is_called_by_the_state_of_the_field(state: str, name: str) -> None:
    assert told(field(100, 101, state=state))[1] == (name, 1)


def test_nothing_lies_between_equal_numbers() -> None:
    assert steps(field(7, 7)) == ()
    assert waterfall(field(7, 7)) is None
    assert waterfall({"field": "x", "state": "exact", "terms": []}) is None
    assert waterfall({"field": "x", "state": "exact", "terms": [], "numbers": None}) is None


sizes = st.integers(-(10**9), 10**9)


@given(predicted=sizes, measured=sizes, terms=st.lists(sizes.filter(bool), max_size=3))
def test_the_steps_always_add_up(predicted: int, measured: int, terms: list[int]) -> None:
    found = steps(field(predicted, measured, *terms))
    if predicted == measured:
        assert found == ()
        return
    assert sum(step.size for step in found[:-1]) == found[-1].size == measured
    for before, after in pairwise(found[1:-1]):
        assert before.end == after.start


def test_rounding_noise_is_no_step() -> None:
    assert len(steps(field(0.1 + 0.2, 0.35, 0.05))) == 3


@pytest.mark.parametrize("unit", ["B", "FLOP", "s", "%", "1"])
@pytest.mark.parametrize(
    ("predicted", "measured"),
    [(1, 2), (2936608, 2936632), (0, 5), (-3, 4), (-1000, -1001), (1e-9, 1e9)],
)
def test_every_pair_of_numbers_can_be_drawn(unit: str, predicted: float, measured: float) -> None:
    chart = waterfall(field(predicted, measured, unit=unit))
    assert chart is not None
    drawn = read(svg(chart, "a"))
    assert drawn.faults == []
    names = [text.text for text in drawn.every("text")]
    assert {"predicted", "measured"} <= set(names)


@pytest.mark.parametrize("number", [1e308, -1e308, 10**40, math.inf])
def test_what_is_no_quantity_is_not_drawn(number: float) -> None:
    assert waterfall(field(1, number)) is None


def test_a_small_gap_of_large_numbers_can_be_seen_and_the_cut_is_said() -> None:
    chart = waterfall(field(2936608, 2936632, 24))
    assert chart is not None
    texts = [text.text for text in read(svg(chart, "a")).every("text")]
    assert "cut: this axis does not begin at 0" in texts
    assert "+24 B" in texts


def test_a_gap_that_can_be_seen_begins_at_zero() -> None:
    chart = waterfall(field(100, 300))
    assert chart is not None
    assert "cut" not in svg(chart, "a")


def test_a_difference_of_shares_is_told_in_points() -> None:
    chart = waterfall(field(60, 61.5, unit="%", state="within band"))
    assert chart is not None
    assert chart.says == "60 % predicted, +1.5 points within the band, is 61.5 % measured."
