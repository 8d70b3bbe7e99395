"""Arrays from a student are refused by kind and shape before they are compared."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from grader.checks.arrays import held, numbers_in
from grader.checks.expect import Expect
from grader.checks.outcomes import Unmet


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        ([[1, 2], [3, 4]], (2, 2)),
        (np.float32(1.5), ()),
        (np.zeros((0, 3)), (0, 3)),
        ([], (0,)),
        (np.array([0x7F800001], dtype=np.uint32).view(np.float32), (1,)),
    ],
)
def test_numbers_become_float64(value: Any, shape: tuple[int, ...]) -> None:
    got = numbers_in(Expect(), value, shape, "the result")
    assert got.dtype == np.float64
    assert got.shape == shape


@pytest.mark.parametrize(
    "value", [None, "text", [True, False], [[1], [2, 3]], {"a": 1}, [1j], [1, 2, 3], ["1", "2"]]
)
def test_anything_else_is_not_met(value: Any) -> None:
    with pytest.raises(Unmet):
        numbers_in(Expect(), value, (2,), "the result")


def test_the_sign_of_zero_and_nan_are_held() -> None:
    expect = Expect()
    held(expect, np.array([math.nan, 1.0, -0.0]), np.array([-math.nan, 1.0, -0.0]), "values")
    for got, want in (([0.0], [-0.0]), ([math.nan], [1.0]), ([1.0], [math.nan]), ([1.0], [2.0])):
        with pytest.raises(Unmet):
            held(expect, np.array(got), np.array(want), "values")


def test_the_first_difference_and_their_number_are_told() -> None:
    got, want = np.array([1.0, 5.0, 6.0]), np.array([1.0, 2.0, 3.0])
    with pytest.raises(Unmet) as caught:
        held(Expect(), got, want, "values")
    assert "values (2 of 3 differ; the first of them)" in caught.value.finding.message
    with pytest.raises(Unmet) as caught:
        held(Expect(), got, want, "values", np.array([7, 8, 9]))
    assert "(2 of 3 differ; the first of them, of 8)" in caught.value.finding.message
    assert (caught.value.finding.expected, caught.value.finding.got) == ("2", "5")
