"""Hidden checks of step_differences (8.6.j): models with one thing changed each."""

from __future__ import annotations

from grader.checks import check
from grader.checks.watched import watched

from .cut import model_case


def _compare(student, draw, expect, pairs, **more):
    case = model_case(draw, **more)
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
        pairs = [["same", "same"], ["same", "one level deeper"], ["same", "drawn in the making"]]
        _, _, answers = _compare(student, draw, expect, pairs, **more)
        for answer in answers:
            expect.equal(answer, [], what=f"differences of the same model ({name})")
    pairs = [["writes into its input", "writes into its input"]]
    for more in ({"input_grad": True}, {}):
        _, seen, answers = _compare(student, draw, expect, pairs, **more)
        what = "differences of a model that writes into its input from itself"
        expect.equal(answers[0], [], what=what)
        expect.that(seen["untouched"], "A model wrote into the input that was handed in.")


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
        "draws in the backward": ["random state"],
        "draws later and scaled gradient and input scaled and output shifted": [
            "output", "input gradient", "gradient of 1.0.weight", "random state",
        ],
    }  # fmt: skip
    pairs = [["same", name] for name in wanted]
    _, _, answers = _compare(student, draw, expect, pairs, drop=0.3, input_grad=True)
    for (name, want), answer in zip(wanted.items(), answers, strict=True):
        expect.equal(answer, want, what=f"differences ({name})")


@check("8.6.j", row="optimization_validity", level="strong")
def test_buffers_are_compared(student, draw, expect):
    """Statistics that moved twice are named, though output and gradients are the same."""
    # the second as a checkpoint moves them, that runs a norm again
    pairs = [["same", "buffers twice"], ["same", "buffers in the backward"]]
    _, seen, answers = _compare(student, draw, expect, pairs, kind="norm")
    want = [f"buffer {name}" for name in seen["buffers"]]
    for pair, answer in zip(pairs, answers, strict=True):
        expect.equal(answer, want, what=f"differences where buffers moved twice ({pair[1]})")


@check("8.6.j", row="optimization_validity", level="strong")
def test_bits_decide(student, draw, expect):
    """Another dtype, shape or NaN is a difference, and so is a gradient of zeros for none."""
    pairs = [
        ["same", "other dtype"], ["same", "other shape"], ["same", "NaN in a column"],
        ["NaN in a column", "same"], ["inf in a column", "-inf in a column"],
        ["no gradient", "zero gradient"], ["input cut", "input zeroed"],
    ]  # fmt: skip
    want = [["output"]] * 5 + [["gradient of inner.0.2.bias"], ["input gradient"]]
    _, _, answers = _compare(student, draw, expect, pairs, input_grad=True)
    for pair, expected, answer in zip(pairs, want, answers, strict=True):
        expect.equal(answer, expected, what=f"differences ({pair[0]} against {pair[1]})")


@check("8.6.j", row="optimization_validity", level="pass")
def test_a_comparison_leaves_no_trace(student, draw, expect):
    """The input and torch's generator are as they were; models of other sizes are refused."""
    pairs = [["same", "output shifted"], ["same", "fewer"], ["same", "one more buffer"]]
    case, seen, answers = _compare(student, draw, expect, pairs, drop=0.3, input_grad=True)
    expect.that(seen["untouched"], "The input that was handed in has been changed.")
    expect.that(not seen["moved"], "torch's generator stands elsewhere after the comparison.")
    expect.equal(seen["seeds"], [case["seed"]], what="seeds of torch's generator in the forwards")
    for answer, kind in zip(answers[1:], ("parameters", "buffers"), strict=True):
        raised = answer.get("raised") if isinstance(answer, dict) else None
        refused = isinstance(raised, list) and "ValueError" in raised
        note = f"Models with different numbers of {kind} must be refused with ValueError."
        expect.that(refused, note, None if refused else answer)
