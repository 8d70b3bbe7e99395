"""Hidden checks of annotated_step (8.9.j) by clocks that only the phases move."""

from __future__ import annotations

from itertools import pairwise

from grader.checks import check
from grader.checks.numbers import is_finite
from grader.checks.watched import watched

INNER = ("transfer", "forward", "backward", "optimizer")
TICK = 2**-10
"""Times are multiples of this [s], so that sums and differences are exact in any order."""


def _costs(draw):
    """Return the time of each phase [s]."""
    return {name: draw.integer(1, 60) * TICK for name in INNER}


def _named(ranges, name):
    return [(start, end) for found, start, end in ranges if found == name]


def _within(inner, outer):
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _annotated(student, draw, expect):
    case = {"costs": [_costs(draw), _costs(draw)], "scratch": student.scratch}
    return case["costs"], watched(student, expect, "annotated", case)


@check("8.9.j", row="timing", level="pass")
def test_one_range_a_phase(student, draw, expect):
    """Each phase runs inside its own range, one after another inside train_step."""
    _, seen = _annotated(student, draw, expect)
    expect.equal(seen["profiled"]["calls"], list(INNER), what="the calls of the trainer")
    expect.equal(seen["bare"]["calls"], 2 * list(INNER), what="the calls of two bare steps")
    expect.equal(seen["bare"]["tools"], [], what="tools that ran although no profiler was asked")
    ranges = seen["ranges"]
    for name in ("train_step", *INNER):
        expect.equal(len(_named(ranges, name)), 1, what=f"ranges named {name}")
    step = _named(ranges, "train_step")[0]
    spans = [_named(ranges, name)[0] for name in INNER]
    for name, span in zip(INNER, spans, strict=True):
        expect.that(_within(span, step), f"{name} is not inside train_step.")
        work = _named(ranges, f"work:{name}")[0]
        expect.that(_within(work, span), f"The work of {name} is not inside its range.")
    for name, (before, after) in zip(INNER[1:], pairwise(spans), strict=True):
        expect.that(before[1] <= after[0], f"{name} begins before the phase in front of it ends.")


@check("8.9.j", row="timing", level="pass")
def test_times_by_the_clock(student, draw, expect):
    """The times are those of the clock that was handed in, and the loss holds no graph."""
    costs, seen = _annotated(student, draw, expect)
    for way in ("bare", "profiled"):
        for cost, seconds in zip(costs, seen[way]["seconds"], strict=False):
            expect.keys(seconds, ["train_step", *INNER], what="seconds")
            got = {name: seconds[name] for name in ("train_step", *INNER)}
            want = {**cost, "train_step": sum(cost.values())}
            expect.close(got, want, rtol=1e-9, what=f"seconds ({way})", unit="s")
        expect.that(
            seen[way]["tensors"], "The loss must be a tensor: .item() waits for the device."
        )
        expect.that(not seen[way]["graph"], "The loss still holds its graph: detach it.")
        want = [6.0] * len(seen[way]["losses"])
        expect.close(seen[way]["losses"], want, rtol=1e-6, what="loss")
    waits = "aten::_local_scalar_dense" in seen["operators"]
    expect.that(not waits, "The step reads a number out of a tensor, which waits for the device.")


def _readings(span):
    """Return between which readings of a clock that doubles a time lies, None if no two."""
    if not is_finite(span) or span <= 0 or span != int(span):
        return None
    begin = int(span) & -int(span)
    end = int(span) + begin
    return (begin, end) if end & (end - 1) == 0 else None


@check("8.9.j", row="timing", level="pass")
def test_the_step_is_timed_as_a_whole(student, draw, expect):
    """The time of train_step lasts from before its first phase to after its last, gaps included."""
    seconds = watched(student, expect, "read_clock", {})
    expect.keys(seconds, ["train_step", *INNER], what="seconds")
    spans = {name: _readings(seconds[name]) for name in ("train_step", *INNER)}
    for name, span in spans.items():
        expect.that(span is not None, f"{name} is not the time between two readings of the clock.")
    for name in INNER:
        fine = _within(spans[name], spans["train_step"])
        expect.that(fine, f"The clock is read for {name} outside the time of train_step.")
    for name, after in pairwise(INNER):
        fine = spans[name][1] <= spans[after][0]
        expect.that(fine, f"The time of {after} begins before that of {name} ends.")
