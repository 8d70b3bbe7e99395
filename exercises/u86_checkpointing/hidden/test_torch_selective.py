"""Hidden checks of selective (8.6.k): no product twice, and the rest again."""

from __future__ import annotations

from grader.checks import check
from grader.checks.watched import watched

from .cut import KIB, cannot_be_cut, model_case, same_step, second_runs


@check("8.6.k", row="optimization_validity", level="pass")
def test_no_product_twice(student, reference, draw, expect):
    """The FLOPs of a step are those of the plain model, with and without biases, and batched."""
    for name, more in (
        ("matrices", {}), ("no bias", {"bias": False}), ("tokens", {"tokens": 5}),
        ("tokens, no bias", {"tokens": 5, "bias": False}), ("products of batches", {"kind": "bmm"}),
    ):  # fmt: skip
        case = model_case(draw, "selective", count=True, **more)
        seen = watched(student, expect, "measured", case)
        plain = reference.run("plain_flops", case)
        for phase, got, want in zip(("forward", "backward"), seen["flops"], plain, strict=True):
            expect.equal(got, want, what=f"FLOPs of the {phase} ({name})", unit="FLOP")


@check("8.6.k", row="optimization_validity", level="pass")
def test_the_rest_is_run_again(student, draw, expect):
    """Results of products stay alive, what lies between them does not."""
    size = {"n": 6, "segments": 3, "d": 32, "h": 128, "batch": 256}
    for name, more in (
        ("training", {}), ("evaluation mode", {"evaluation": True}),
        ("frozen parameters", {"frozen": "all", "input_grad": True}), ("norms", {"kind": "norm"}),
    ):  # fmt: skip
        case = model_case(draw, "selective", **{**size, "drop": 0.3, **more})
        seen = watched(student, expect, "measured", case)
        width, inner = (4 * case["batch"] * case[name] for name in ("d", "h"))
        want = case["n"] * (inner + width)
        # a generator's state takes 5 KiB, buffers less; GELU's output would take `inner` a block
        expect.between(
            seen["live"], want, want + 8 * KIB * case["n"],
            what=f"bytes the forward leaves alive ({name})", unit="B",
        )  # fmt: skip
    case = {**case, "no_grad": True}
    seen = watched(student, expect, "measured", case)
    expect.equal(seen["calls"]["forward"], list(range(case["n"])), what="blocks run in no_grad")
    most = width + 8 * KIB * case["segments"]
    expect.between(seen["live"], width, most, what="bytes alive after no_grad", unit="B")


@check("8.6.k", row="optimization_validity", level="strong")
def test_selective_steps_are_plain_steps(student, reference, draw, expect):
    """With dropout, norms, counts, shared weights and autocast the step is the plain one."""
    cases = {
        "dropout": {"drop": 0.3, "between": draw.integer(1, 9)},
        "a norm": {"kind": "norm"},
        "a block with a count": {"kind": "count", "drop": 0.3},
        "a count, two forwards, one backward": {"kind": "count", "drop": 0.3, "twice": True},
        "some layers in evaluation mode": {"evaluated": [0, 2], "kind": "norm", "drop": 0.3},
        "a shared weight": {"shared": True},
        "an empty batch": {"batch": 0},
        "autocast": {"autocast": True},
        "frozen parameters": {"frozen": True},
        "evaluation mode": {"evaluation": True, "kind": "norm", "drop": 0.3},
        "a view, and an input that needs a gradient": {"view": True, "input_grad": True},
    }
    for name, more in cases.items():
        case = model_case(draw, "selective", **more)
        seen = same_step(student, reference, expect, case, name)
        note = "The module's parameters are not the model's own, in its order."
        expect.that(seen["own"], note)


@check("8.6.k", row="optimization_validity", level="pass")
def test_selective_segments(student, draw, expect):
    """Segments are run again one by one, and impossible numbers of them are refused."""
    case = model_case(draw, "selective")
    seen = watched(student, expect, "measured", case)
    want = second_runs(case)
    expect.equal(seen["calls"]["backward"], want, what="blocks run again in the backward")
    cannot_be_cut(student, draw, expect, "selective")
