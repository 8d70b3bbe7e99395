"""Hidden checks of unit 8.2, NumPy stage: what is reported of repeated timings."""

from __future__ import annotations

import math
from statistics import median, quantiles

import numpy as np

from grader.checks import check
from grader.checks.many import refusals, values_of

KEYS = ("n", "median", "q1", "q3", "iqr", "drift")


def _truth(samples, warmup):
    kept = [float(value) for value in samples[warmup:]]
    half = len(kept) // 2
    q1, _, q3 = quantiles(kept, n=4, method="inclusive") if half else (kept[0],) * 3
    first, second = (median(kept[:half]), median(kept[-half:])) if half else (1.0, 1.0)
    drift = second / first if first else (math.inf if second else 1.0)
    return {
        "n": len(kept),
        "median": median(kept),
        "q1": q1,
        "q3": q3,
        "iqr": q3 - q1,
        "drift": drift,
    }


def _summaries(student, expect, cases):
    """Hold the summary of each ``(words, samples, warmup)`` against the truth."""
    calls = [((samples, warmup), {}) for _, samples, warmup in cases]
    values = values_of(student, expect, "summarize", calls)
    for (words, samples, warmup), (_, got) in zip(cases, values, strict=True):
        want = _truth(samples, warmup)
        expect.keys(got, KEYS, what=f"the summary of {words}")
        for key in KEYS:
            # the difference of two quartiles is rounded as they are
            atol = 1e-9 * want["q3"] if key == "iqr" else 0.0
            expect.close(got[key], want[key], rtol=1e-9, atol=atol, what=f"{key} of {words}")


def _times(draw, n, low=80, high=120):
    return [draw.integer(low, high) for _ in range(n)]


@check("8.2.e", row="timing", level="pass")
def test_the_middle_and_the_spread(student, draw, expect):
    """Median and quartiles are those of the kept samples, for odd and even numbers of them."""
    cases = [(f"{n} samples", _times(draw, n), 0) for n in (1, 2, 3, 4, 5, 20, 41)]
    cases.append(("an array", np.asarray(_times(draw, 9), dtype=np.float64), 0))
    # from here on a dtype has whole numbers alone, and none of these quartiles and medians is one
    for dtype, ones in ((np.float16, 2**10), (np.float32, 2**23)):
        halves = [draw.shuffled([ones + low + 3 * i for i in range(6)]) for low in (1, 201)]
        samples = np.asarray([*halves[0], *halves[1]], dtype=dtype)
        cases.append((f"an array of {samples.dtype}", samples, 0))
    # the places of the quartiles, 511.75 and 1535.25, are rounded in float16 as well
    many = np.asarray(draw.shuffled(range(2048)), dtype=np.float16)
    cases.append(("2048 samples of float16", many, 0))
    cases.append(("an array of integers", np.asarray(_times(draw, 8)), 0))
    cases.append(("every other entry of an array", np.asarray(_times(draw, 18))[::2], 0))
    _summaries(student, expect, cases)


@check("8.2.e", row="timing", level="pass")
def test_one_sample_that_is_far_too_long(student, draw, expect):
    """One sample that is a hundred times as long hardly moves any of the numbers."""
    samples = _times(draw, 21)
    spoiled = list(samples)
    spoiled[draw.integer(0, 20)] *= 100
    _summaries(student, expect, [("clean samples", samples, 0), ("one long sample", spoiled, 0)])


@check("8.2.e", row="timing", level="pass")
def test_warm_up_is_dropped_first(student, draw, expect):
    """The first samples are dropped before anything is computed, in the order they were taken."""
    slow = [9000 + value for value in _times(draw, 5)]
    samples = [*slow, *_times(draw, 10)]
    fast = [*_times(draw, 3, 1, 3), *_times(draw, 12)]
    cases = [("a slow start", samples, 5), ("a slow start kept", samples, 0)]
    cases += [("a fast start", fast, 3), ("all but one dropped", samples, 14)]
    _summaries(student, expect, cases)


@check("8.2.e", row="timing", level="pass")
def test_a_drift_shows(student, draw, expect):
    """The second half against the first shows a drift that the median of all hides."""
    cases = []
    for n in (2, 3, 7, 8, 21):
        cases.append((f"{n} samples that rise", [100 + 10 * i for i in range(n)], 0))
        cases.append((f"{n} samples with a jump", [100] * (n // 2) + [150] * (n - n // 2), 0))
    cases += [("one sample", [5], 0), ("only zeros", [0, 0, 0], 0)]
    cases += [("zeros first", [0, 0, 3, 4], 0), ("zeros last", [3, 4, 0, 0], 0)]
    cases += [("a jump after the warm-up", [900, 1, 1, 2, 2], 1)]
    _summaries(student, expect, cases)


@check("8.2.e", row="timing", level="pass")
def test_samples_that_are_none(student, draw, expect):
    """Nothing left, a negative warm-up, and samples that are no times are refused."""
    good = _times(draw, 4)
    cases = [("without samples", [], 0), ("if the warm-up leaves nothing", good, 4),
             ("if the warm-up is longer than the samples", good, 9),
             ("if the warm-up is negative", good, -1)]  # fmt: skip
    for word, value in (("NaN", math.nan), ("infinite", math.inf), ("negative", -1)):
        cases.append((f"if a sample is {word}", [*good, value], 0))
        cases.append((f"if a dropped sample is {word}", [value, *good], 1))
    calls = [(why, (samples, warmup), {}) for why, samples, warmup in cases]
    refusals(student, expect, "summarize", calls)
