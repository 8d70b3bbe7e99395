"""Hidden checks of unit 8.6 that hold the calculators against definitions, papers and a ledger."""

from __future__ import annotations

import math

from grader.checks import check
from grader.checks.many import refusals, refused, values_of

from .cut import spans_of

KEYS = ("stored", "segment", "peak", "plain", "recomputed", "forwards")


def _counts(sizes, k):
    """Return the counts by walking through a step, one array at a time."""
    n, inputs = len(sizes) - 1, {start for start, _ in spans_of(len(sizes) - 1, k)}
    stored = sum(size for place, size in enumerate(sizes[:-1]) if place in inputs)
    segment = most = 0
    for place in range(1, n + 1):
        segment = sizes[place] + (0 if place - 1 in inputs else segment)
        most = max(most, segment)
    return {
        "stored": stored, "segment": most, "peak": stored + most, "plain": sum(sizes),
        "recomputed": n, "forwards": 2 * n,
    }  # fmt: skip


def _held(expect, got, want, keys=KEYS, rtol=0.0, what=""):
    expect.keys(got, keys, what="the counts")
    for key in keys:
        unit = "" if key in ("recomputed", "forwards") else "B"
        expect.close(got[key], want[key], rtol=rtol, what=f"{key}{what}", unit=unit)


# 8.6.e chain_counts


@check("8.6.e", row="prediction", level="pass")
def test_what_is_kept(student, draw, expect):
    """Stored inputs, the largest segment, and both together, for layers of any sizes."""
    n = draw.integer(9, 14)
    for k in (1, draw.integer(2, 5), n):
        sizes = draw.integers(1, 10**6, n + 1)
        _held(expect, student.numpy.chain_counts(sizes, k), _counts(sizes, k), KEYS[:4])
    sizes = [size + 0.5 for size in draw.integers(1, 99, 6)]
    _held(expect, student.numpy.chain_counts(sizes, 2), _counts(sizes, 2), KEYS[:4])
    # the chain's input and its output are large, so that each of them shows where it is counted
    sizes = [10**6, *draw.integers(1, 99, 5), 10**7]
    _held(expect, student.numpy.chain_counts(sizes, 2), _counts(sizes, 2), KEYS[:4])


@check("8.6.e", row="prediction", level="pass")
def test_every_layer_runs_twice(student, draw, expect):
    """The backward calls each layer's forward once more, however the chain is cut."""
    n = draw.integer(5, 12)
    for k in (1, 3, n):
        sizes = draw.integers(1, 99, n + 1)
        _held(expect, student.numpy.chain_counts(sizes, k), _counts(sizes, k), KEYS[4:])


@check("8.6.e", row="prediction", level="pass")
def test_sizes_beyond_int64(student, draw, expect):
    """Integers of any size give exact integers, and layers that keep nothing count as nothing."""
    sizes = [0, *(2**62 + draw.integer(1, 999) for _ in range(5)), 0]
    _held(expect, student.numpy.chain_counts(sizes, 2), _counts(sizes, 2), KEYS[:4])
    _held(expect, student.numpy.chain_counts([0, 0], 1), _counts([0, 0], 1))


@check("8.6.e", row="prediction", level="pass")
def test_sizes_that_cannot_be(student, draw, expect):
    """A chain without layers, sizes that are no sizes, and impossible cuts are refused."""
    size = draw.integer(2, 99)
    refused(student, expect, "for a single size", "chain_counts", [size], 1)
    refused(student, expect, "for a negative size", "chain_counts", [size, -1, size], 1)
    refused(student, expect, "for a NaN among the sizes", "chain_counts", [size, math.nan], 1)
    refused(student, expect, "for an infinite size", "chain_counts", [math.inf, size], 1)
    refused(student, expect, "for too many segments", "chain_counts", [size] * 4, 4)
    refused(student, expect, "for no segment", "chain_counts", [size] * 4, 0)


@check("8.6.e", row="prediction", level="strong")
def test_a_chain_measured_just_now(student, reference, draw, expect):
    """For a chain drawn just now the counts are what a ledger of live bytes measures."""
    n, batch = draw.integer(6, 10), draw.integer(3, 40)
    k = draw.integer(2, n - 1)
    widths = draw.integers(4, 90, n + 1)
    case = {"widths": widths, "batch": batch, "spans": [list(s) for s in spans_of(n, k)]}
    live = reference.run("live_chain", case, stage="torch")
    live["peak"] = live["stored"] + live["segment"]
    got = student.numpy.chain_counts([4 * batch * width for width in widths], k)
    _held(expect, got, live, what=f" of {n} layers in {k} segments")


@check("8.6.e", row="prediction", level="strong")
def test_published_peaks(student, expect):
    """For equal layers the peak is that of the published cost model, k + n / k."""
    # arXiv:1604.06174, section 4: 100 layers
    for k, peak in ((10, 20), (4, 29), (20, 25), (50, 52)):
        got = student.numpy.chain_counts([1] * 101, k)
        expect.keys(got, ["peak"], what="the counts")
        expect.close(got["peak"], peak, rtol=1e-12, what=f"peak of 100 layers in {k} segments")


# 8.6.f best_segments


@check("8.6.f", row="prediction", level="pass")
def test_the_lowest_peak(student, draw, expect):
    """No other number of segments has a lower peak, and no smaller one has the same."""
    n = draw.integer(20, 60)
    for k in range(1, n + 1):
        peak = _counts([1] * (n + 1), k)["peak"]
        expect.that(peak == _peak(n, k), "The peak of equal layers is not k + n / k, rounded up.")
    chains = [*range(1, 401), draw.integer(900, 1300), draw.integer(2000, 3000)]
    calls = [((n,), {}) for n in chains]
    for n, (words, got) in zip(
        chains, values_of(student, expect, "best_segments", calls), strict=True
    ):
        expect.equal(got, min(range(1, n + 1), key=lambda k, n=n: _peak(n, k)), what=words)


def _peak(n, k):
    """Return the peak of n equal layers in k segments."""
    return k + -(-n // k)


@check("8.6.f", row="prediction", level="pass")
def test_no_layers_to_cut(student, expect):
    """A chain without layers is refused."""
    refused(student, expect, "for 0 layers", "best_segments", 0)
    refused(student, expect, "for -4 layers", "best_segments", -4)


@check("8.6.f", row="prediction", level="strong")
def test_square_root_of_the_layers(student, draw, expect):
    """For n a square the best number of segments is its root, as published."""
    root = draw.integer(5, 24)
    # arXiv:1604.06174, section 4
    for n, k in ((64, 8), (100, 10), (1024, 32), (root * root, root)):
        expect.equal(student.numpy.best_segments(n), k, what=f"segments of {n} layers")


# 8.6.g transformer_layer_bytes

# arXiv:2205.05198, section 4.1: what a layer keeps, in bytes for each element [s, b, h], and
# whether tensor parallelism splits it
LAYER = (
    ("input of query, key and value", 2, False), ("queries and keys", 4, True), ("values", 2, True),
    ("input of the projection", 2, True), ("mask of the attention's dropout", 1, False),
    ("input of the first linear layer", 2, False), ("input of GELU", 8, True),
    ("input of the second linear layer", 8, True), ("mask of the network's dropout", 1, False),
    ("inputs of the two norms", 4, False),
)  # fmt: skip
# in bytes for each score [a, s, s, b]: softmax, mask, result of the dropout
SCORES = (2, 1, 2)


def _layer(  # noqa: PLR0917 - as the function it is held against
    s, b, h, a, recompute, t, sequence_parallel
):
    if recompute == "full":
        return 2 * s * b * h
    total = 0.0
    for _, size, split in LAYER:
        total += size * s * b * h / (t if split or sequence_parallel else 1)
    if recompute == "none":
        total += sum(size * a * s * s * b / t for size in SCORES)
    return total


@check("8.6.g", row="prediction", level="pass")
def test_what_a_layer_keeps(student, draw, expect):
    """For each kind of recomputation and parallelism the bytes are the sum over all tensors."""
    for recompute in ("none", "selective", "full"):
        for parallel in (False, True):
            t = draw.choice([2, 4, 8])
            a = t * draw.integer(1, 4)
            s, b, h = draw.integer(100, 3000), draw.integer(1, 8), a * draw.integer(8, 80)
            got = student.numpy.transformer_layer_bytes(s, b, h, a, recompute, t, parallel)
            want = _layer(s, b, h, a, recompute, t, parallel)
            kind = f"{recompute}, {'with' if parallel else 'without'} sequence parallelism"
            expect.close(got, want, rtol=1e-9, what=f"bytes of a layer ({kind})", unit="B")
    got = student.numpy.transformer_layer_bytes(s, b, h, a)
    want = _layer(s, b, h, a, "none", 1, False)
    expect.close(got, want, rtol=1e-9, what="bytes of a layer on one device", unit="B")


@check("8.6.g", row="prediction", level="pass")
def test_layers_that_cannot_be(student, expect):
    """Unknown words, and sizes below 1, are refused."""
    layer = "transformer_layer_bytes"
    refused(student, expect, "for an unknown word", layer, 16, 2, 8, 2, "some")
    cases = []
    for place, name in enumerate(("tokens", "sequences", "width", "heads")):
        for size in (0, -4):
            sizes = [16, 2, 8, 2]
            sizes[place] = size
            cases += [
                (f"for {name} of {size} ({word})", [*sizes, word], {})
                for word in ("none", "selective", "full")
            ]
    words = ("none", "selective", "full")
    cases += [
        (f"for {t} devices ({word})", [16, 2, 8, 2, word, t], {}) for t in (0, -2) for word in words
    ]
    refusals(student, expect, layer, cases)


@check("8.6.g", row="prediction", level="strong")
def test_published_layers(student, expect):
    """The layers of the four published models take what the paper's equations give."""
    # arXiv:2205.05198, table 3 and equations 1 to 6; s 2048
    for h, a, b, recompute, t, parallel, size in (
        (6144, 64, 4, "none", 8, False, 1325400064), (6144, 64, 4, "none", 8, True, 884998144),
        (6144, 64, 4, "selective", 8, False, 654311424),
        (12288, 96, 1, "none", 1, False, 2868903936),
        (12288, 96, 1, "selective", 8, True, 106954752),
        (20480, 128, 1, "full", 8, False, 83886080),
        (25600, 160, 1, "none", 8, True, 642252800),
    ):  # fmt: skip
        got = student.numpy.transformer_layer_bytes(2048, b, h, a, recompute, t, parallel)
        what = f"bytes of a layer of width {h} ({recompute}, {t} devices)"
        expect.close(got, size, rtol=1e-9, what=what, unit="B")
