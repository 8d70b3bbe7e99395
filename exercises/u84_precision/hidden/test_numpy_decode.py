"""Hidden checks of decode (8.4.a): all patterns of drawn formats, and torch on those it has."""

from __future__ import annotations

import numpy as np

from grader.checks import check
from grader.checks.arrays import arrays_of, held
from grader.checks.many import refusals

from .formats import BAD_FORMATS, described, drawn_formats, meanings


@check("8.4.a", row="optimization_validity", level="pass")
def test_every_pattern_of_drawn_formats(student, draw, expect):
    """Every bit pattern of a format means the number that counting up by spacings gives."""
    for fmt in drawn_formats(draw):
        want = meanings(fmt)
        order = np.array(draw.shuffled(range(len(want))))
        what = f"patterns of a format with {described(fmt)}"
        (got,) = arrays_of(student, expect, "decode", [((order, *fmt), {})], [what])
        held(expect, got, want[order], what, order)


@check("8.4.a", row="optimization_validity", level="pass")
def test_patterns_as_torch_reads_them(student, reference, draw, expect):
    """The patterns of float16, bfloat16 and both float8 formats are what torch reads in them."""
    for dtype, fmt in (
        ("float16", (5, 10)),
        ("bfloat16", (8, 7)),
        ("float8_e5m2", (5, 2)),
        ("float8_e4m3fn", (4, 3, False)),
    ):
        bits = np.arange(2 ** (1 + fmt[0] + fmt[1]), dtype=np.int64)
        case = {"dtype": dtype, "bits": bits}
        want = np.asarray(reference.run("torch_decode", case, stage="torch"))
        (got,) = arrays_of(student, expect, "decode", [((bits, *fmt), {})], [dtype])
        held(expect, got, want, f"patterns of {dtype}", bits)
    bits = draw.rng.integers(0, 2**32, 2000)
    # no pattern of a NaN that signals: NumPy says a word about those
    bits = np.where((bits >> 23) % 256 == 255, bits & 0xFF800000, bits)
    want = bits.astype(np.uint32).view(np.float32).astype(np.float64)
    (got,) = arrays_of(student, expect, "decode", [((bits, 8, 23), {})], ["float32"])
    held(expect, got, want, "patterns of float32", bits)


@check("8.4.a", row="optimization_validity", level="pass")
def test_patterns_in_any_container(student, draw, expect):
    """Lists, empty arrays, transposed ones and single patterns are decoded; others are refused."""
    rows = draw.rng.integers(0, 2**11, (3, 4))
    want = meanings((5, 5, True))
    kinds = {
        "a list of lists": rows.tolist(),
        "a transposed view": {"layout": "transposed", "data": rows},
        "an array of small integers": rows.astype(np.uint16),
        "a reversed view": {"layout": "backwards", "data": rows[0]},
        "one pattern": {"layout": "no dimension", "data": rows[0, :1]},
        "no pattern": np.zeros((0, 3), dtype=np.int64),
    }
    truths = [want[rows], want[rows], want[rows], want[rows[0]], want[rows[0, 0]], np.zeros((0, 3))]
    calls = [((kind, 5, 5), {}) for kind in kinds.values()]
    for got, truth, what in zip(
        arrays_of(student, expect, "decode", calls, list(kinds)), truths, kinds, strict=True
    ):
        held(expect, got, np.asarray(truth), what)
    cases = {
        "a negative pattern": (([3, -1], 5, 5), {}),
        "a pattern with a bit too many": (([0, 2**11], 5, 5), {}),
        **{why: (([0, 1], *fmt), {}) for why, fmt in BAD_FORMATS.items()},
    }
    refusals(student, expect, "decode", [(f"for {why}", *call) for why, call in cases.items()])
