"""Hidden checks of round_bf16 (8.4.c): ties by hand, and torch on values of every kind."""

from __future__ import annotations

import math

import numpy as np

from grader.checks import check
from grader.checks.arrays import arrays_of, held
from grader.checks.many import refusals

from .patterns import drawn_patterns, float64_of


def _bf16(student, expect, bits, what, layout="bits of float32"):
    given = {"layout": layout, "data": np.asarray(bits, dtype=np.uint32)}
    (got,) = arrays_of(student, expect, "round_bf16", [((given,), {})], [what])
    return got


@check("8.4.c", row="optimization_validity", level="pass")
def test_bf16_ties_and_neighbours(student, draw, expect):
    """The upper half goes up above the middle, stays below it, and becomes even in the middle."""
    upper = draw.rng.integers(0x3000, 0x4F00, 400, dtype=np.int64)
    upper = upper | (draw.rng.integers(0, 2, 400) << 15)
    bits, want = [], []
    for high in [int(u) for u in upper]:
        for low, up in (
            (0, 0),
            (1, 0),
            (0x7FFF, 0),
            (0x8000, high % 2),
            (0x8001, 1),
            (0xFFFF, 1),
        ):
            bits.append(high << 16 | low)
            want.append((high + up) << 16)
    got = _bf16(student, expect, bits, "values around ties")
    truth = float64_of(np.array(want, dtype=np.uint32))
    held(expect, got, truth, "values around ties", float64_of(np.array(bits, dtype=np.uint32)))


@check("8.4.c", row="optimization_validity", level="pass")
def test_bf16_nan_and_overflow(student, draw, expect):
    """A NaN stays one whatever its bits are, infinity stays, and what is too large becomes it."""
    payload = draw.integer(2, 0x7FFF)
    nans = [0x7F800001, 0x7FFFFFFF, 0xFFFFFFFF, 0xFF800001, 0x7FFF8000, 0x7F800000 | payload]
    got = _bf16(student, expect, nans, "NaNs")
    expect.that(
        np.isnan(got).all(), "A NaN must stay NaN: one became a number.", got[~np.isnan(got)]
    )
    ends = [0x7F800000, 0xFF800000, 0x7F7FFFFF, 0x7F7F8000, 0x7F7F7FFF, 0xFF7F8000]
    got = _bf16(student, expect, ends, "infinities and the largest values")
    largest = 2.0**127 * (2 - 2.0**-7)
    want = [math.inf, -math.inf, math.inf, math.inf, largest, -math.inf]
    given = np.array(ends, dtype=np.uint32).view(np.float32)
    held(expect, got, np.array(want), "infinities and the largest values", given)


@check("8.4.c", row="optimization_validity", level="strong")
def test_bf16_as_torch_rounds_it(student, reference, draw, expect):
    """Two hundred thousand values of every size round bit for bit as torch rounds them."""
    bits = drawn_patterns(draw, 134_000)
    case = {"dtype": "bfloat16", "values": {"layout": "bits of float32", "data": bits}}
    want = np.asarray(reference.run("torch_round", case, stage="torch"))
    got = _bf16(student, expect, bits, f"{len(bits)} values")
    held(expect, got, want, f"{len(bits)} values", float64_of(bits))


@check("8.4.c", row="optimization_validity", level="pass")
def test_bf16_takes_float32_alone(student, draw, expect):
    """Views, single values and empty arrays are fine; float16, float64 and integers are refused."""
    numbers = [draw.integer(1, 0x7F7F) << 16 for _ in range(6)]
    got = _bf16(student, expect, numbers, "a strided view", "bits of float32, every second one")
    truth = float64_of(np.array(numbers, dtype=np.uint32))
    held(expect, got, truth, "a strided view")
    rows = np.array([[1.0, -0.0, 300.0], [2.5, 1e-30, -7.0]], dtype=np.float32)
    kinds = {
        "a transposed view": {"layout": "transposed", "data": rows},
        "one value": {"layout": "no dimension", "data": rows[0, :1]},
        "no value": np.zeros((0, 2), dtype=np.float32),
    }
    calls = [((kind,), {}) for kind in kinds.values()]
    got = arrays_of(student, expect, "round_bf16", calls, list(kinds))
    exact = rows.copy()
    exact[1, 1] = np.uint32(np.float32(1e-30).view(np.uint32) + 0x8000 & 0xFFFF0000).view(
        np.float32
    )
    held(expect, got[0], exact.astype(np.float64), "a transposed view")
    held(expect, got[1], np.asarray(1.0), "one value")
    cases = {
        "a float64 array": ((np.ones(3),), {}),
        "a float16 array": ((np.ones(3, dtype=np.float16),), {}),
        "an array of integers": ((np.ones(3, dtype=np.int32),), {}),
    }
    refusals(student, expect, "round_bf16", [(f"for {why}", *call) for why, call in cases.items()])
