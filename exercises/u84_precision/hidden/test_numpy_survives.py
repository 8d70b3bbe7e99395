"""Hidden checks of survives (8.4.f): values around the ends of formats, and what torch cast."""

from __future__ import annotations

import math

import numpy as np

from grader.checks import check
from grader.checks.many import refusals, values_of

from .formats import BAD_FORMATS, described, drawn_formats, last_gap, numbers_of


def _words(student, expect, cases):
    """Return the words for each ``(values, format)``, after a look at their number and kind."""
    answers = values_of(student, expect, "survives", [((v, *fmt), {}) for v, fmt in cases])
    found = []
    for (values, _), (_, answer) in zip(cases, answers, strict=True):
        words = answer.tolist() if isinstance(answer, np.ndarray) else answer
        fine = isinstance(words, list | tuple) and all(isinstance(word, str) for word in words)
        expect.that(fine, "survives must return a list of words.", words)
        expect.equal(len(words), len(values), what="number of words")
        found.append([str(word) for word in words])
    return found


def _told(expect, values, got, want, what):
    for value, word, truth in zip(values, got, want, strict=True):
        expect.equal(word, truth, what=f"what becomes of {float(value)!r}, {what}")


@check("8.4.f", row="fault_repair", level="pass")
def test_what_becomes_of_each_value(student, draw, expect):
    """Values at and around the ends of a drawn format are told apart."""
    for fmt in drawn_formats(draw):
        numbers = numbers_of(fmt)
        small, largest = numbers[1], numbers[-1]
        edge = largest + last_gap(numbers, fmt) / 2
        inner = numbers[draw.integer(2, len(numbers) - 3)]
        cases = {
            0.0: "exact",
            inner: "exact",
            -inner: "exact",
            largest: "exact",
            small: "exact",
            math.nextafter(inner, math.inf): "rounded",
            -math.nextafter(inner, 0): "rounded",
            small / 2: "underflow",
            -small / 3: "underflow",
            5e-324: "underflow",
            math.nextafter(small / 2, 1): "rounded",
            small * 0.75: "rounded",
            math.nextafter(largest, math.inf): "rounded",
            math.nextafter(edge, 0): "rounded",
            edge: "overflow" if fmt[2] else "rounded",
            math.nextafter(edge, math.inf): "overflow",
            -largest * 2: "overflow",
            1e300: "overflow",
        }
        values = draw.shuffled(list(cases))
        (got,) = _words(student, expect, [(np.array(values), fmt)])
        _told(expect, values, got, [cases[v] for v in values], f"with {described(fmt)}")


@check("8.4.f", row="fault_repair", level="pass")
def test_infinity_and_nan_have_words(student, expect):
    """Infinity is exact where the format has one and overflow where not; NaN is NaN."""
    values = [math.inf, -math.inf, math.nan, 1.0]
    got = _words(student, expect, [(values, (5, 2)), (values, (4, 3, False)), ([], (5, 2))])
    _told(expect, values, got[0], ["exact", "exact", "nan", "exact"], "in float8_e5m2")
    _told(expect, values, got[1], ["overflow", "overflow", "nan", "exact"], "in float8_e4m3fn")
    refusals(
        student,
        expect,
        "survives",
        [(f"for {why}", ([1.0], *f), {}) for why, f in BAD_FORMATS.items()],
    )


@check("8.4.f", row="fault_repair", level="strong")
def test_words_for_values_that_torch_cast(student, reference, draw, expect):
    """For values of every size the words say what torch's cast to float16 and bfloat16 did."""
    values = (draw.rng.standard_normal(600) * 10.0 ** draw.rng.integers(-45, 39, 600)).astype(
        np.float32
    )
    values = np.concatenate([values, (2.0 ** draw.rng.integers(-30, 16, 60)).astype(np.float32)])
    before = values.astype(np.float64)
    for dtype, fmt in (("float16", (5, 10)), ("bfloat16", (8, 7))):
        case = {
            "dtype": dtype,
            "values": {"layout": "bits of float32", "data": values.view(np.uint32)},
        }
        after = np.asarray(reference.run("torch_round", case, stage="torch"))
        with np.errstate(invalid="ignore"):
            want = np.select(
                [before == after, np.isinf(after), after == 0],
                ["exact", "overflow", "underflow"],
                "rounded",
            )
        (got,) = _words(student, expect, [(before, fmt)])
        _told(expect, before, got, [str(word) for word in want], f"in {dtype}")
