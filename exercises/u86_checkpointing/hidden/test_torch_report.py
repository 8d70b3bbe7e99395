"""Hidden checks of recompute_report (8.6.i): bytes, calls and FLOPs by hand, and by a ledger."""

from __future__ import annotations

import math

from grader.checks import check
from grader.checks.watched import watched

from .cut import model_case


def _report(student, draw, expect, early_stop=None, **more):
    case = {**model_case(draw, **more), "early_stop": early_stop}
    seen = watched(student, expect, "reported", case)
    report = seen["report"]
    expect.keys(report, ["live", "peak", "calls", "flops"], what="the report")
    expect.keys(report["peak"], ["forward", "backward"], what="peak")
    expect.keys(report["flops"], ["forward", "backward", "ratio"], what="flops")
    return case, seen, report


def _products(case):
    """Return the FLOPs of one block's first and second product; they are the same."""
    return 2 * case["batch"] * case["d"] * case["h"]


@check("8.6.i", row="optimization_validity", level="strong")
def test_flops_of_both_phases(student, draw, expect):
    """FLOPs and their ratio are exact: plain, checkpointed, with early stop and without."""
    n = draw.integer(4, 5)
    for segments, early in ((None, None), (2, None), (n, True), (3, False)):
        case, _, report = _report(student, draw, expect, early, n=n, segments=segments)
        one = _products(case)
        # two products a block; the second run of a segment may leave out its last one
        plain = 2 * n * 2 - 1
        again = 0 if segments is None else 2 * n - (0 if early is False else segments)
        cut = "plain" if segments is None else f"{segments} segments"
        what = f"{cut}, early stop {'off' if early is False else 'on'}"
        flops = report["flops"]
        expect.equal(flops["forward"], 2 * n * one, what=f"FLOPs of the forward ({what})")
        expect.equal(flops["backward"], (plain + again) * one, what=f"of the backward ({what})")
        ratio = 1 + (plain + again) / (2 * n)
        # a ratio in single precision is right to 6e-8
        expect.close(flops["ratio"], ratio, rtol=1e-6, what=f"ratio ({what})")
    case, _, report = _report(student, draw, expect, frozen=True, segments=None)
    # one weight that is frozen has no gradient
    want = (4 * case["n"] - 2) * _products(case)
    expect.equal(report["flops"]["backward"], want, what="of the backward (a frozen weight)")


@check("8.6.i", row="optimization_validity", level="pass")
def test_calls_of_one_step(student, draw, expect):
    """Each block is called once in a plain step and twice in a checkpointed one."""
    for segments, early, calls in ((None, None, 1), (2, True, 2), (1, False, 2)):
        case, _, report = _report(student, draw, expect, early, segments=segments)
        expect.equal(report["calls"], [calls] * case["n"], what="calls of each block")


@check("8.6.i", row="optimization_validity", level="pass")
def test_bytes_that_the_forward_leaves(student, reference, draw, expect):
    """Live bytes are those of the activations: plain all of them, checkpointed the boundaries."""
    size = {"d": 16, "h": 40, "batch": 64}
    for segments in (None, 1, 3):
        case, _, report = _report(student, draw, expect, segments=segments, **size)
        width, inner = (4 * case["batch"] * case[name] for name in ("d", "h"))
        # GELU keeps its input, the second layer GELU's output; each block hands its output on
        plain = case["n"] * (2 * inner + width)
        want = plain if segments is None else segments * width
        what = "plain" if segments is None else f"{segments} segments"
        expect.equal(report["live"], want, what=f"live bytes after the forward ({what})", unit="B")
    # in evaluation mode a dropout keeps nothing
    more = {"drop": 0.3, "evaluation": True}
    case, _, report = _report(student, draw, expect, segments=None, **size, **more)
    want = case["n"] * 4 * case["batch"] * (2 * case["h"] + case["d"])
    what = "live bytes after the forward (evaluation mode, with dropout)"
    expect.equal(report["live"], want, what=what, unit="B")
    more = {"drop": 0.3, "evaluated": [0, 2]}
    case, _, report = _report(student, draw, expect, segments=None, **size, **more)
    # what a dropout in training keeps is up to PyTorch
    want = reference.run("reported", case)["report"]["live"]
    what = "live bytes after the forward (some layers in evaluation mode, with dropout)"
    expect.equal(report["live"], want, what=what, unit="B")


@check("8.6.i", row="optimization_validity", level="pass")
def test_peak_of_each_phase(student, reference, draw, expect):
    """Each phase has a peak of its own, counted from what was there before the step."""
    size = {"n": 6, "d": 16, "h": 64, "batch": 128}
    # gradients that are large beside activations, of which two blocks share one
    shared = {"n": 4, "d": 16, "h": 256, "batch": 8, "shared": True}
    for segments, sizes in ((None, size), (1, size), (3, size), (None, shared)):
        case, _, report = _report(student, draw, expect, segments=segments, **sizes)
        true = reference.run("reported", case)["report"]
        width = 4 * case["batch"] * case["d"]
        for phase in ("forward", "backward"):
            got, want = report["peak"][phase], true["peak"][phase]
            # one array between two blocks more or less is a matter of what a variable holds
            blocks = "a shared weight" if case.get("shared") else f"{segments} segments"
            what = f"peak of the {phase} ({blocks})"
            expect.between(got, want - 2 * width, want + 2 * width, what=what, unit="B")


@check("8.6.i", row="optimization_validity", level="pass")
def test_the_model_is_left_as_it_was(student, draw, expect):
    """Weights, buffers, gradients, hooks, the generator and early stop are as they were found."""
    for early, more in ((None, {}), (False, {"evaluation": True})):
        _, seen, _ = _report(student, draw, expect, early, kind="norm", drop=0.3, **more)
        expect.equal(seen["changed"], [], what="what the report has changed")


@check("8.6.i", row="optimization_validity", level="pass")
def test_reports_that_cannot_be(student, draw, expect):
    """Numbers of segments that cannot be are refused; a forward without FLOPs has no ratio."""
    for segments in (0, 9):
        case = model_case(draw, segments=segments, function="recompute_report")
        kinds = student.run("refused", case)
        note = f"recompute_report must raise ValueError for {segments} segments."
        expect.that("ValueError" in str(kinds).split(), note, str(kinds) or "no error")
    _, _, report = _report(student, draw, expect, batch=0)
    expect.close(report["flops"]["ratio"], math.nan, what="ratio of an empty batch")
