"""Hidden checks of unit 8.6: the report, the comparison, the selective policy, the closed book."""

from __future__ import annotations

import math
from itertools import pairwise

from grader.checks import check
from grader.checks.watched import watched

KIB = 1024
RESULTS = ("output", "input", "gradients", "buffers", "state")
WORDS = {
    "output": "output", "input": "gradient of the input", "gradients": "gradients",
    "buffers": "buffers after the step", "state": "state of torch's generator after the step",
    "found": "gradients by torch.autograd.grad",
}  # fmt: skip


def _spans(n, k):
    edges = [0]
    for place in range(k):
        edges.append(edges[-1] + n // k + (1 if place >= k - n % k else 0))
    return list(pairwise(edges))


def _case(draw, **more):
    """Return a model that is cut unevenly, and its input."""
    n = draw.integer(4, 5)
    return {
        "n": n, "segments": draw.choice([k for k in (2, 3) if n % k]), "d": 8, "h": 12,
        "batch": 6, "seed": draw.integer(1, 10**6), **more,
    }  # fmt: skip


def _same(expect, seen, plain, name, keys=RESULTS):
    for key in keys:
        expect.equal(seen[key], plain[key], what=f"{WORDS[key]} ({name})")


# 8.6.i recompute_report


def _report(student, draw, expect, early_stop=None, **more):
    case = {**_case(draw, **more), "early_stop": early_stop}
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


@check("8.6.i", row="optimization_validity", level="pass")
def test_calls_of_one_step(student, draw, expect):
    """Each block is called once in a plain step and twice in a checkpointed one."""
    for segments, early, calls in ((None, None, 1), (2, True, 2), (1, False, 2)):
        case, _, report = _report(student, draw, expect, early, segments=segments)
        expect.equal(report["calls"], [calls] * case["n"], what="calls of each block")


@check("8.6.i", row="optimization_validity", level="pass")
def test_bytes_that_the_forward_leaves(student, draw, expect):
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


@check("8.6.i", row="optimization_validity", level="pass")
def test_peak_of_each_phase(student, reference, draw, expect):
    """Each phase has a peak of its own, counted from what was there before the step."""
    size = {"n": 6, "d": 16, "h": 64, "batch": 128}
    for segments in (None, 1, 3):
        case, _, report = _report(student, draw, expect, segments=segments, **size)
        true = reference.run("reported", case)["report"]
        width = 4 * case["batch"] * case["d"]
        for phase in ("forward", "backward"):
            got, want = report["peak"][phase], true["peak"][phase]
            # one array between two blocks more or less is a matter of what a variable holds
            what = f"peak of the {phase} ({segments} segments)"
            expect.between(got, want - 2 * width, want + 2 * width, what=what, unit="B")


@check("8.6.i", row="optimization_validity", level="pass")
def test_the_model_is_left_as_it_was(student, draw, expect):
    """Weights, buffers, gradients, hooks, the generator and early stop are as they were found."""
    for early in (None, False):
        _, seen, _ = _report(student, draw, expect, early, kind="norm", drop=0.3)
        expect.equal(seen["changed"], [], what="what the report has changed")


@check("8.6.i", row="optimization_validity", level="pass")
def test_reports_that_cannot_be(student, draw, expect):
    """Numbers of segments that cannot be are refused; a forward without FLOPs has no ratio."""
    for segments in (0, 9):
        case = _case(draw, segments=segments, function="recompute_report")
        kinds = student.run("refused", case)
        note = f"recompute_report must raise ValueError for {segments} segments."
        expect.that("ValueError" in str(kinds).split(), note, str(kinds) or "no error")
    _, _, report = _report(student, draw, expect, batch=0)
    expect.close(report["flops"]["ratio"], math.nan, what="ratio of an empty batch")


# 8.6.j step_differences


def _compare(student, draw, expect, pairs, **more):
    case = _case(draw, **more)
    seen = watched(student, expect, "compared", {**case, "pairs": pairs})
    return case, seen, seen["answers"]


@check("8.6.j", row="optimization_validity", level="pass")
def test_the_same_has_no_difference(student, draw, expect):
    """The same model has no difference from itself, with dropout, state and NaN, or empty."""
    for name, more in (
        ("dropout and a norm", {"kind": "norm", "drop": 0.3}),
        ("NaN", {"nan": True, "input_grad": True}),
        ("an empty batch", {"batch": 0}),
        ("frozen parameters", {"frozen": True}),
    ):
        pairs = [["same", "same"], ["same", "one level deeper"]]
        _, _, answers = _compare(student, draw, expect, pairs, **more)
        for answer in answers:
            expect.equal(answer, [], what=f"differences of the same model ({name})")


@check("8.6.j", row="optimization_validity", level="pass")
def test_each_difference_by_its_name(student, draw, expect):
    """What differs is named as the plain model names it, and nothing else is."""
    wanted = {
        "output shifted": ["output"],
        "scaled gradient": ["gradient of 1.0.weight"],
        "no gradient": ["gradient of 0.3.bias"],
        "input cut": ["input gradient"],
        "input scaled": ["input gradient"],
        "draws later": ["random state"],
    }
    pairs = [["same", name] for name in wanted]
    _, _, answers = _compare(student, draw, expect, pairs, drop=0.3, input_grad=True)
    for (name, want), answer in zip(wanted.items(), answers, strict=True):
        expect.equal(answer, want, what=f"differences ({name})")


@check("8.6.j", row="optimization_validity", level="strong")
def test_buffers_are_compared(student, draw, expect):
    """Statistics that moved twice are named, though output and gradients are the same."""
    _, seen, answers = _compare(student, draw, expect, [["same", "buffers twice"]], kind="norm")
    want = [f"buffer {name}" for name in seen["buffers"]]
    expect.equal(answers[0], want, what="differences where buffers moved twice")


@check("8.6.j", row="optimization_validity", level="strong")
def test_bits_decide(student, draw, expect):
    """Another dtype, shape or NaN is a difference, and so is a gradient of zeros for none."""
    pairs = [
        ["same", "other dtype"], ["same", "other shape"], ["same", "NaN in a column"],
        ["NaN in a column", "same"], ["no gradient", "zero gradient"],
    ]  # fmt: skip
    want = [["output"]] * 4 + [["gradient of inner.0.2.bias"]]
    _, _, answers = _compare(student, draw, expect, pairs)
    for pair, expected, answer in zip(pairs, want, answers, strict=True):
        expect.equal(answer, expected, what=f"differences ({pair[0]} against {pair[1]})")


@check("8.6.j", row="optimization_validity", level="pass")
def test_a_comparison_leaves_no_trace(student, draw, expect):
    """The input and torch's generator are as they were; models of other sizes are refused."""
    pairs = [["same", "output shifted"], ["same", "fewer"]]
    _, seen, answers = _compare(student, draw, expect, pairs, drop=0.3, input_grad=True)
    expect.that(seen["untouched"], "The input that was handed in has been changed.")
    expect.that(not seen["moved"], "torch's generator stands elsewhere after the comparison.")
    raised = answers[1].get("raised") if isinstance(answers[1], dict) else None
    refused = isinstance(raised, list) and "ValueError" in raised
    note = "Models with different numbers of parameters must be refused with ValueError."
    expect.that(refused, note, None if refused else answers[1])


# 8.6.k selective


@check("8.6.k", row="optimization_validity", level="pass")
def test_no_product_twice(student, reference, draw, expect):
    """The FLOPs of a step are those of the plain model, with and without biases, and batched."""
    for name, more in (
        ("matrices", {}), ("no bias", {"bias": False}), ("tokens", {"tokens": 5}),
        ("tokens, no bias", {"tokens": 5, "bias": False}), ("products of batches", {"kind": "bmm"}),
    ):  # fmt: skip
        case = _case(draw, function="selective", count=True, **more)
        seen = watched(student, expect, "measured", case)
        plain = reference.run("plain_flops", case)
        for phase, got, want in zip(("forward", "backward"), seen["flops"], plain, strict=True):
            expect.equal(got, want, what=f"FLOPs of the {phase} ({name})", unit="FLOP")


@check("8.6.k", row="optimization_validity", level="pass")
def test_the_rest_is_run_again(student, draw, expect):
    """Results of products stay alive, what lies between them does not."""
    case = _case(draw, function="selective", n=6, segments=3, d=32, h=128, batch=256, drop=0.3)
    seen = watched(student, expect, "measured", case)
    width, inner = (4 * case["batch"] * case[name] for name in ("d", "h"))
    want = case["n"] * (inner + width)
    # a state of torch's generator takes 5 KiB, GELU's output would take `inner` for each block
    expect.between(
        seen["live"], want, want + 8 * KIB * case["segments"],
        what="bytes the forward leaves alive", unit="B",
    )  # fmt: skip


@check("8.6.k", row="optimization_validity", level="strong")
def test_selective_steps_are_plain_steps(student, reference, draw, expect):
    """With dropout, norms, counts, shared weights and autocast the step is the plain one."""
    cases = {
        "dropout": {"drop": 0.3, "between": draw.integer(1, 9)},
        "a norm": {"kind": "norm"},
        "a block with a count": {"kind": "count", "drop": 0.3},
        "a shared weight": {"shared": True},
        "an empty batch": {"batch": 0},
        "autocast": {"autocast": True},
    }
    for name, more in cases.items():
        case = _case(draw, function="selective", **more)
        seen, plain = watched(student, expect, "stepped", case), reference.run("plain_step", case)
        _same(expect, seen, plain, name)


@check("8.6.k", row="optimization_validity", level="pass")
def test_selective_segments(student, draw, expect):
    """Segments are run again one by one, and impossible numbers of them are refused."""
    case = _case(draw, function="selective")
    seen = watched(student, expect, "measured", case)
    want = [
        place
        for start, end in reversed(_spans(case["n"], case["segments"]))
        for place in range(start, end)
    ]
    expect.equal(seen["calls"]["backward"], want, what="blocks run again in the backward")
    for segments in (0, 9):
        kinds = student.run("refused", {**case, "segments": segments})
        note = f"selective must raise ValueError for {segments} segments."
        expect.that("ValueError" in str(kinds).split(), note, str(kinds) or "no error")


# 8.6.l checkpoint_by_hand


@check("8.6.l", row="optimization_validity", level="pass")
def test_gradients_by_hand(student, reference, draw, expect):
    """All gradients are there and the same, also where the input is data, by both calls."""
    keys = ("output", "input", "gradients")
    cases = {
        "data": {},
        "an input that needs a gradient": {"input_grad": True},
        "frozen parameters": {"frozen": True},
        "a batch of one": {"batch": 1},
        "an empty batch": {"batch": 0},
        "a transposed view": {"view": True, "input_grad": True},
    }
    for name, more in cases.items():
        case = _case(draw, **more)
        seen, plain = watched(student, expect, "by_hand", case), reference.run("plain_step", case)
        _same(expect, seen, plain, name, keys)
    case = _case(draw, by_grad=True, input_grad=True)
    seen, plain = watched(student, expect, "by_hand", case), reference.run("plain_step", case)
    _same(expect, seen, plain, "torch.autograd.grad", ("output", "found"))


@check("8.6.l", row="optimization_validity", level="strong")
def test_masks_by_hand(student, reference, draw, expect):
    """With dropout the gradients belong to the forward's masks, and the generator is put back."""
    for between in (0, draw.integer(1, 9)):
        case = _case(draw, drop=0.4, between=between)
        seen, plain = watched(student, expect, "by_hand", case), reference.run("plain_step", case)
        _same(expect, seen, plain, "dropout", ("output", "gradients"))
        expect.that(not seen["moved"], "The backward has moved torch's generator.")


@check("8.6.l", row="optimization_validity", level="pass")
def test_kept_by_hand(student, draw, expect):
    """Only inputs of blocks stay alive, each block is called twice."""
    case = _case(draw, d=32, h=128, batch=256)
    seen = watched(student, expect, "by_hand", case)
    width = 4 * case["batch"] * case["d"]
    most = case["n"] * (width + 8 * KIB)
    expect.between(seen["live"], width, most, what="bytes the forward leaves alive", unit="B")
    expect.equal(seen["calls"], [2] * case["n"], what="calls of each block")


@check("8.6.l", row="optimization_validity", level="pass")
def test_nothing_borrowed(student, draw, expect):
    """torch.utils.checkpoint is not used."""
    seen = watched(student, expect, "by_hand", _case(draw))
    note = "torch.utils.checkpoint was called: here the checkpoint is to be your own."
    expect.that(not seen["borrowed"], note, seen["borrowed"] or None)


@check("8.6.l", row="optimization_validity", level="pass", device="cuda")
def test_masks_by_hand_on_a_device(student, reference, draw, expect):
    """On a device, too, the gradients belong to the forward's dropout masks."""
    case = _case(draw, drop=0.4, device="cuda", d=64, h=128, batch=64)
    seen, plain = student.run("by_hand", case), reference.run("plain_step", case)
    for key in ("output", "gradients"):
        expect.close(seen[key], plain[key], rtol=1e-4, atol=1e-4, what=f"{WORDS[key]} on a device")
