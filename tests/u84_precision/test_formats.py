"""The list of a format's numbers is what ml_dtypes reads in the bit patterns."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from exercises.u84_precision.hidden.formats import (
    described,
    drawn_formats,
    last_gap,
    meanings,
    numbers_of,
)
from grader.checks.draw import Draw

KNOWN = {
    "float16": (np.float16, np.uint16, (5, 10, True)),
    "bfloat16": (ml_dtypes.bfloat16, np.uint16, (8, 7, True)),
    "float8_e5m2": (ml_dtypes.float8_e5m2, np.uint8, (5, 2, True)),
    "float8_e4m3fn": (ml_dtypes.float8_e4m3fn, np.uint8, (4, 3, False)),
}


@pytest.mark.filterwarnings("ignore:.*encountered in cast:RuntimeWarning")
@pytest.mark.parametrize(("dtype", "unsigned", "fmt"), KNOWN.values(), ids=KNOWN)
def test_each_pattern_means_what_ml_dtypes_reads_in_it(dtype: Any, unsigned: Any, fmt: Any) -> None:
    bits = np.arange(2 ** (1 + fmt[0] + fmt[1])).astype(unsigned)
    want = bits.view(dtype).astype(np.float64)
    got = meanings(fmt)
    np.testing.assert_array_equal(got, want)
    numbers = ~np.isnan(want)
    np.testing.assert_array_equal(np.signbit(got[numbers]), np.signbit(want[numbers]))


def test_the_last_gap_is_that_of_the_stretch_of_the_largest_number() -> None:
    full, alone = (4, 3, False), (4, 1, False)
    assert last_gap(numbers_of(full), full) == 448 - 416
    # 256 begins a stretch whose other number is the NaN
    assert numbers_of(alone)[-2:] == [192, 256]
    assert last_gap(numbers_of(alone), alone) == 128


def test_drawn_formats_are_of_both_kinds_and_described() -> None:
    for seed in range(20):
        first, second = drawn_formats(Draw(str(seed), "check"))
        assert first[2]
        assert not second[2]
        assert described(second).endswith("without infinities")
        assert len(numbers_of(second)) < 2 ** (second[0] + second[1])
