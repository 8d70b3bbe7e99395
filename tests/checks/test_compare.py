from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.checks.compare import Tolerance, difference, show
from grader.checks.expect import Expect
from grader.checks.outcomes import Inconclusive, Skipped, Unmet

EXACT = Tolerance()
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@given(plain)
def test_data_never_differs_from_itself(value: Any) -> None:
    assert difference(value, value, EXACT) is None


@pytest.mark.parametrize(
    ("got", "want"),
    [
        (math.nan, 1.0),
        (1.0, math.nan),
        (math.inf, -math.inf),
        (math.inf, 1e308),
        (True, 1),
        (1, True),
        ("1", 1),
        (None, 0),
        ([1, 2], [1, 2, 3]),
        ([1, 2], 1),
        ({"a": 1}, {"a": 1, "b": 2}),
        ({"a": 1, "b": 2}, {"a": 1}),
        (np.zeros((3, 1)), np.zeros(3)),
        (np.zeros(0), np.zeros(3)),
        (np.zeros((0, 2)), np.zeros((2, 0))),
        (np.array([math.nan]), np.array([0.0])),
        (np.array([True]), np.array([1])),
        (10**30 + 1, 10**30),
        ([1.0, [2.0]], np.zeros((2,))),
    ],
)
def test_what_naive_comparisons_let_through_differs(got: Any, want: Any) -> None:
    assert difference(got, want, EXACT) is not None


@pytest.mark.parametrize(
    ("got", "want"),
    [
        (np.float64(2.0), 2),
        (np.int64(3), 3.0),
        ((1, 2), [1, 2]),
        (np.array([1, 2]), [1, 2]),
        ([1.0, 2.0], np.array([1.0, 2.0])),
        (np.array(5), 5),
        (np.bool_(True), True),
        (math.nan, math.nan),
        (np.array([math.nan, math.inf]), np.array([math.nan, math.inf])),
        (10**30, 10**30),
    ],
)
def test_the_same_values_in_another_form_are_equal(got: Any, want: Any) -> None:
    assert difference(got, want, EXACT) is None


@given(st.floats(-1e6, 1e6), st.floats(0, 1e-3), st.floats(0, 1e-3))
def test_tolerance_is_atol_plus_rtol_times_the_expected(want: float, a: float, r: float) -> None:
    edge = a + r * abs(want)
    assert difference(want + edge * 0.99, want, Tolerance(r, a + 1e-9)) is None
    assert difference(want + edge * 1.02 + 1e-6, want, Tolerance(r, a)) is not None


def test_a_difference_says_where_it_is() -> None:
    found = difference({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, EXACT)
    assert found is not None
    assert found.place == "['a'][1]['b']"
    assert (found.expected, found.got) == ("3", "2")


@pytest.mark.parametrize(
    ("got", "words"), [(2.0, "2 times"), (0.99, "1 % low"), (1.01, "1 % high"), (-1.0, "sign")]
)
def test_how_far_off_a_number_is_is_said_in_words(got: float, words: str) -> None:
    found = difference(got, 1.0, EXACT)
    assert found is not None
    assert words in found.message


def test_expectations_are_counted_in_order() -> None:
    expect = Expect()
    expect.equal(1, 1)
    with pytest.raises(Unmet) as caught:
        expect.equal(1, 2, "the answer", "B")
    assert caught.value.finding.order == 1
    assert caught.value.finding.unit == "B"


@pytest.mark.parametrize("value", ["3", None, True, math.nan, math.inf, 11, [3]])
def test_between_accepts_finite_numbers_in_range_alone(value: Any) -> None:
    Expect().between(10, 0, 10)
    Expect().between(np.float32(0), 0, 10)
    with pytest.raises(Unmet):
        Expect().between(value, 0, 10)


def test_the_other_expectations_can_fail_too() -> None:
    expect = Expect()
    expect.that(condition=True, message="x")
    expect.one_of("a", ["a", "b"])
    expect.keys({"a": 1, "b": 2}, ["a"])
    for attempt in (
        lambda: expect.that(condition=False, message="x"),
        lambda: expect.that(condition=1, message="only True is true"),
        lambda: expect.one_of("c", ["a", "b"]),
        lambda: expect.keys({"a": 1}, ["a", "b"]),
        lambda: expect.keys([1], ["a"]),
        lambda: expect.unmet("no"),
    ):
        with pytest.raises(Unmet):
            attempt()
    with pytest.raises(Inconclusive):
        expect.inconclusive("noise")
    with pytest.raises(Skipped):
        expect.skip("CUDA")


@given(plain)
def test_shown_text_is_short(value: Any) -> None:
    assert len(show(value)) <= 400


def test_an_integer_that_python_does_not_print_is_shown_all_the_same() -> None:
    assert show(10**5000) == "1.000000e+5000"
    assert show([-(10**5000)]) == "list with an integer of thousands of digits"
