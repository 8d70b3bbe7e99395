"""Hidden checks of encode (8.4.b): nearest numbers by comparison with all there are."""

from __future__ import annotations

import math
from bisect import bisect_left

import numpy as np

from grader.checks import check
from grader.checks.arrays import arrays_of, held
from grader.checks.many import refusals

from .formats import BAD_FORMATS, described, drawn_formats, last_gap, meanings, numbers_of
from .patterns import drawn_patterns, float64_of


def _nearest(numbers, magnitude):
    """Return the place of the nearest number, of the even one of two; exact in float64."""
    place = bisect_left(numbers, magnitude)
    if place == len(numbers):
        return place - 1
    if place == 0:
        return 0
    low, high = magnitude - numbers[place - 1], numbers[place] - magnitude
    if low == high:
        return place - place % 2
    return place if high < low else place - 1


def _around(draw, numbers, count=150):
    """Return magnitudes at, between and in the middle of numbers, and a hair from the middle."""
    values = []
    for _ in range(count):
        place = draw.integer(0, len(numbers) - 2)
        low, high = numbers[place], numbers[place + 1]
        middle = (low + high) / 2
        values += [low, middle, math.nextafter(middle, 0), math.nextafter(middle, math.inf)]
        values.append(low + (high - low) * draw.uniform(0.05, 0.95))
    return [*values, numbers[1] / 2, numbers[1] / 4, numbers[1], numbers[-1]]


@check("8.4.b", row="optimization_validity", level="pass")
def test_nearest_and_ties_to_even(student, draw, expect):
    """Each value becomes the nearest number, a tie the one with the even mantissa."""
    for fmt in drawn_formats(draw):
        numbers = numbers_of(fmt)
        values = _around(draw, numbers)
        signs = [draw.choice([1, -1]) for _ in values]
        half = 2 ** (fmt[0] + fmt[1])
        want = [
            _nearest(numbers, value) + (half if sign < 0 else 0)
            for value, sign in zip(values, signs, strict=True)
        ]
        given = np.array(values) * signs
        what = f"patterns of values, in a format with {described(fmt)}"
        (got,) = arrays_of(student, expect, "encode", [((given, *fmt), {})], [what])
        held(expect, got, np.array(want, dtype=np.float64), what, given)


@check("8.4.b", row="optimization_validity", level="pass")
def test_overflow_infinity_and_nan(student, draw, expect):
    """Beyond the largest number lie infinity, NaN or, on request, the largest number itself."""
    for fmt in drawn_formats(draw):
        exponent, mantissa, infinity = fmt
        numbers, half = numbers_of(fmt), 2 ** (exponent + mantissa)
        largest, spacing = numbers[-1], last_gap(numbers, fmt)
        # what would follow has an even mantissa with infinities and an odd one without
        edge = largest + spacing / 2
        inside = [math.nextafter(edge, 0), largest] + ([] if infinity else [edge])
        outside = [math.nextafter(edge, math.inf), largest * 9, 1e300, math.inf]
        outside += [edge] if infinity else []
        values = np.array(inside + outside)
        for saturate in (False, True):
            named = {"saturate": saturate}
            both = np.array([values, -values])
            what = f"values at the upper end, with saturate={saturate}, {described(fmt)}"
            (got,) = arrays_of(student, expect, "encode", [((both, *fmt), named)], [what])
            last, over = len(numbers) - 1, len(numbers) - (1 if saturate else 0)
            want = np.array([last] * len(inside) + [over] * len(outside), dtype=np.float64)
            if infinity or saturate:
                held(expect, got, np.array([want, want + half]), what, both)
                continue
            # any NaN pattern is one; here there is one of each sign
            fine = np.isin(got[:, len(inside) :], [half - 1, 2 * half - 1]).all()
            expect.that(
                fine,
                "What overflows in a format without infinity must become NaN.",
                got[0, len(inside) :],
            )
            held(
                expect, got[:, : len(inside)], np.array([want, want + half])[:, : len(inside)], what
            )
        given, nans = np.array([math.nan, -math.nan, 0.0, -0.0]), np.isnan(meanings(fmt))
        for saturate in (False, True):
            what = f"NaN and 0, with saturate={saturate}, {described(fmt)}"
            calls = [((given, *fmt), {"saturate": saturate})]
            (got,) = arrays_of(student, expect, "encode", calls, [what])
            fine = np.isin(got[:2], np.flatnonzero(nans)).all()
            expect.that(
                fine,
                f"The pattern of NaN must be one that means NaN, with saturate={saturate} as well.",
                got[:2].tolist(),
            )
            expect.equal(got[2:].tolist(), [0, half], what=f"patterns of 0.0 and -0.0: {what}")


@check("8.4.b", row="optimization_validity", level="strong")
def test_rounded_once(student, draw, expect):
    """A float64 is rounded once: a hair above the middle goes up, float32 on the way or not."""
    for exponent, mantissa in ((8, 7), (5, draw.integer(6, 10)), (6, draw.integer(4, 12))):
        steps = [2 * draw.integer(0, 2 ** (mantissa - 1) - 1) for _ in range(20)]
        base = np.array([1 + step * 2.0**-mantissa for step in steps])
        hair = 2.0 ** -draw.integer(40, 50)
        above = base + 2.0 ** -(mantissa + 1) + hair
        codes = (2 ** (exponent - 1) - 1) * 2**mantissa + np.array(steps, dtype=np.float64)
        what = f"values a hair above a tie, {mantissa} mantissa bits"
        (got,) = arrays_of(student, expect, "encode", [((above, exponent, mantissa), {})], [what])
        held(expect, got, codes + 1, what, above)


@check("8.4.b", row="optimization_validity", level="strong")
def test_numbers_as_torch_rounds_them(student, reference, draw, expect):
    """Tens of thousands of float32 values round to every format as they do in torch."""
    bits = drawn_patterns(draw, 8000)
    values = float64_of(bits)
    for dtype, fmt, named in (
        ("float16", (5, 10), {}),
        ("bfloat16", (8, 7), {}),
        ("float8_e5m2", (5, 2), {}),
        ("float8_e4m3fn", (4, 3, False), {"saturate": True}),
    ):
        case = {"dtype": dtype, "values": {"layout": "bits of float32", "data": bits}}
        want = np.asarray(reference.run("torch_round", case, stage="torch"))
        (codes,) = arrays_of(student, expect, "encode", [((values, *fmt), named)], [dtype])
        legal = ((codes >= 0) & (codes < 2 ** (1 + fmt[0] + fmt[1]))).all()
        expect.that(legal, f"Patterns of {dtype} must have {1 + fmt[0] + fmt[1]} bits.")
        # the patterns are read by torch, so that this check does not rest on decode
        case = {"dtype": dtype, "bits": codes.astype(np.int64)}
        got = np.asarray(reference.run("torch_decode", case, stage="torch"))
        keep = np.isfinite(values) if dtype == "float8_e4m3fn" else np.ones(values.shape, bool)
        # the sign of a NaN is nobody's business, and `held` compares none
        held(expect, got[keep], want[keep], f"values rounded to {dtype}", values[keep])


@check("8.4.b", row="optimization_validity", level="pass")
def test_values_in_any_container(student, draw, expect):
    """Lists, no or single values, float32 and views are fine; bad formats are not."""
    numbers = numbers_of((5, 5, True))
    rows = np.array([[draw.choice(numbers[:-1]) for _ in range(4)] for _ in range(3)])
    want = np.array([[numbers.index(x) for x in row] for row in rows], dtype=np.float64)
    kinds = {
        "a list of lists": rows.tolist(),
        "a transposed view": {"layout": "transposed", "data": rows},
        "a float32 array": rows.astype(np.float32),
        "a reversed view": {"layout": "backwards", "data": rows[0]},
        "one value": {"layout": "no dimension", "data": rows[0, :1]},
        "no value": np.zeros((2, 0)),
    }
    truths = [want, want, want, want[0], want[0, 0], np.zeros((2, 0))]
    calls = [((kind, 5, 5), {}) for kind in kinds.values()]
    for got, truth, what in zip(
        arrays_of(student, expect, "encode", calls, list(kinds)), truths, kinds, strict=True
    ):
        held(expect, got, np.asarray(truth), what)
    cases = {why: (([0.5, 1.0], *fmt), {}) for why, fmt in BAD_FORMATS.items()}
    refusals(student, expect, "encode", [(f"for {why}", *call) for why, call in cases.items()])
