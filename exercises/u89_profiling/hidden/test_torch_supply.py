"""Hidden checks of loader_supply (8.9.n) by a clock that only the loader moves."""

from __future__ import annotations

import math

from grader.checks import check
from grader.checks.numbers import quantile
from grader.checks.watched import refused, watched

TICK = 2**-10
"""Times are multiples of this [s], so that sums and differences are exact in any order."""


SUPPLY = ("batches", "first", "p50", "p90", "rate", "covers")


def _supplied(student, expect, case):
    seen = watched(student, expect, "supplied", case)
    expect.keys(seen["supply"], SUPPLY, what="the result")
    return seen["supply"], seen


@check("8.9.n", row="timing", level="pass")
def test_supply_without_the_first_batch(student, draw, expect):
    """The rate is that of the batches after the first, which pays for the start."""
    waits = [300 * TICK] + [draw.integer(4, 20) * TICK for _ in range(9)]
    rest = waits[1:]
    case = {"waits": waits, "batches": None, "step_time": None}
    got, _ = _supplied(student, expect, case)
    want = {"batches": 10, "first": waits[0], "p50": quantile(rest, 0.5),
            "p90": quantile(rest, 0.9), "rate": len(rest) / sum(rest)}  # fmt: skip
    expect.close({key: got[key] for key in want}, want, rtol=1e-9, what="the result")
    expect.equal(got["covers"], None, what="covers without a step time")
    got, _ = _supplied(student, expect, {**case, "batches": 4})
    expect.equal(got["batches"], 4, what="batches when at most 4 are taken")
    expect.close(got["rate"], 3 / sum(rest[:3]), rtol=1e-9, what="rate of 3 batches", unit="1/s")
    refused(student, expect, "for a single batch", "supplied", {**case, "waits": waits[:1]})


@check("8.9.n", row="timing", level="pass")
def test_supply_against_demand(student, draw, expect):
    """A loader covers a step that takes as long as its mean batch, or longer."""
    waits = [100 * TICK, 8 * TICK, 8 * TICK, 8 * TICK, 40 * TICK]
    for step_time, covers in ((16, True), (17, True), (15, False), (9, False)):
        case = {"waits": waits, "batches": None, "step_time": step_time * TICK}
        got, _ = _supplied(student, expect, case)
        expect.equal(got["covers"], covers, what=f"covers for a step of {step_time} ticks")


@check("8.9.n", row="timing", level="pass")
def test_one_pass_and_no_batch_more(student, draw, expect):
    """One pass takes as many batches as asked for and keeps none; starting it is in `first`."""
    waits, most = [draw.integer(4, 20) * TICK for _ in range(7)], draw.integer(3, 5)
    start = 200 * TICK
    case = {"waits": waits, "start": start, "batches": most, "step_time": None}
    for batches in (most, None, 9):
        got, seen = _supplied(student, expect, {**case, "batches": batches})
        expect.close(got["first"], start + waits[0], rtol=1e-9, unit="s",
                     what="first, with the start of the pass")  # fmt: skip
        taken = min(batches or 7, 7)
        expect.equal(seen["handed"], taken, what="batches that were taken")
        expect.equal(seen["passes"], 1, what="passes over the loader")
        expect.that(seen["kept"] <= 1, "The batches are still in memory afterwards.")
    refused(student, expect, "for a single batch", "supplied", {**case, "batches": 1})


@check("8.9.n", row="timing", level="pass")
def test_times_of_zero(student, draw, expect):
    """Waits too short for the clock give an infinite rate, and a step time of 0 is a time."""
    case = {"waits": [0.0] * 4, "batches": None, "step_time": TICK}
    got, _ = _supplied(student, expect, case)
    expect.equal([got["rate"], got["p90"]], [math.inf, 0.0], what="rate and p90 of no wait")
    expect.equal(got["covers"], True, what="covers without any wait")
    case = {"waits": [TICK * draw.integer(1, 9)] * 4, "batches": None, "step_time": 0.0}
    got, _ = _supplied(student, expect, case)
    expect.equal(got["covers"], False, what="covers for a step that takes no time")
