"""Hidden checks of compare (8.8.j), with backends that are wrong in one thing or in none."""

from __future__ import annotations

from grader.checks import check
from grader.checks.watched import watched

PARTS = ["train outputs", "train gradients", "eval outputs", "eval gradients"]
ROWS, WIDTH = 6, 4
SHAPES = {"the weight of the first layer": [8, WIDTH], "its bias": [8],
          "the weight of the last layer": [3, 8], "its bias, too": [3],
          "the batch": [ROWS, WIDTH]}  # fmt: skip


def _compare(student, draw, expect, model, backend, **more):
    """Return what fails in a comparison; nothing but the report may be left of it."""
    case = {"model": model, "backend": backend, "x": draw.normal((ROWS, WIDTH)),
            "seed": draw.integer(0, 9999), **more}  # fmt: skip
    seen = watched(student, expect, "compared", case)
    report = seen["report"]
    expect.equal(seen["changed"], [], what="what compare left changed")
    expect.keys(report, ["agree", "failed"], what="the report")
    failed = report["failed"]
    fine = isinstance(failed, list) and all(isinstance(part, str) for part in failed)
    expect.that(fine, "`failed` must be a list of names.", failed)
    expect.equal(report["agree"], not failed, what="agree")
    return failed


def _sound_backends_agree(student, draw, expect):
    """Sound backends agree, with BatchNorm and dropout, and everything is left as it was."""
    for backend in ("eager", "aot_eager"):
        failed = _compare(student, draw, expect, "everything", backend)
        expect.equal(failed, [], what=f"what fails with the backend {backend}")


def _models_of_all_kinds_agree(student, draw, expect):
    """Shared, frozen and unused parameters, token numbers and strided batches are no reason."""
    for model, more in (("tied", {}), ("tokens", {}), ("plain", {"strided": True})):
        failed = _compare(student, draw, expect, model, "eager", **more)
        expect.equal(failed, [], what=f"what fails for the {model} model")
    failed = _compare(student, draw, expect, "plain", "eager", x=draw.normal((0, WIDTH)))
    expect.equal(failed, [], what="what fails for a batch without examples")


def _wrong_outputs_are_found(student, draw, expect):
    """A backend that computes wrong outputs is found: torch's own faulty one, and one wrong entry."""
    failed = _compare(student, draw, expect, "plain", "relu_accuracy_error_TESTING_ONLY")
    for part in ("train outputs", "eval outputs"):
        expect.that(part in failed, f"{part} must fail: relu is computed wrongly.", failed)
    where = {"factor": 1.001, "place": draw.integer(0, 3 * ROWS - 1)}
    failed = _compare(student, draw, expect, "plain", "one output", **where)
    expect.equal(failed, ["train outputs", "eval outputs"],
                 what="what fails if one entry of the output is off by a thousandth")  # fmt: skip
    failed = _compare(student, draw, expect, "plain", "another axis")
    expect.that("train outputs" in failed, "An output with an axis more was broadcast.", failed)


def _a_wrong_backward_is_found(student, draw, expect):
    """A backend that is wrong in its backward alone is found, whichever gradient it spoils."""
    for what, shape in draw.shuffled(list(SHAPES.items())):
        where = {"shape": shape, "factor": 1.01, "place": draw.integer(0, 31)}
        failed = _compare(student, draw, expect, "plain", "one gradient", **where)
        expect.equal(failed, ["train gradients", "eval gradients"],
                     what=f"what fails if one entry of the gradient of {what} is wrong")  # fmt: skip


def _a_wrong_backward_of_torch_itself(student, reference, draw, expect):
    """What aot_eager does to a counter that is changed in place is found, if it does it here."""
    seed = draw.integer(0, 9999)
    case = {"model": "counts in place", "x": draw.normal((ROWS, WIDTH)), "seed": seed}
    for backend in ("eager", "aot_eager"):
        true = reference.run("compared", {**case, "backend": backend})["report"]["failed"]
        failed = _compare(student, draw, expect, **{**case, "backend": backend})
        expect.equal(failed, true, what=f"what fails for a counter in place, compiled with {backend}")


def _a_missing_gradient_is_found(student, draw, expect):
    """A gradient that is there on one side alone disagrees."""
    what, shape = draw.choice([item for item in SHAPES.items() if item[0] != "the batch"])
    failed = _compare(student, draw, expect, "plain", "gradient cut", shape=shape)
    expect.equal(failed, ["train gradients", "eval gradients"],
                 what=f"what fails if {what} gets no gradient")  # fmt: skip


def _both_modes_are_compared(student, draw, expect):
    """What is wrong in training alone, or in evaluation alone, is found there."""
    for mode, short in (("training", "train"), ("evaluation", "eval")):
        failed = _compare(student, draw, expect, "two", f"wrong in {mode}")
        expect.equal(failed, [f"{short} outputs", f"{short} gradients"],
                     what=f"what fails with a backend that is wrong in {mode}")  # fmt: skip


@check("8.8.j", row="optimization_validity", level="strong")
def test_a_tolerance_is_declared(student, draw, expect):
    """Rounding is accepted, a difference above the declared tolerance is not."""
    for factor, named, failed in (
        (1 + 2e-6, {}, []),
        (1 + 2e-4, {}, PARTS),
        (1 + 2e-4, {"rtol": 1e-3}, []),
        (1 + 2e-6, {"rtol": 1e-7}, PARTS),
    ):
        got = _compare(student, draw, expect, "plain", "all outputs", factor=factor, named=named)
        rtol = named.get("rtol", "its default")
        what = f"what fails with outputs scaled by 1 + {factor - 1:.0e} and rtol {rtol}"
        expect.equal(got, failed, what=what)


def _nothing_agrees_by_accident(student, draw, expect):
    """NaN agrees with nothing; a softmax's gradient is compared, not the sum's, which is 0."""
    failed = _compare(student, draw, expect, "log", "eager")
    for part in ("train outputs", "eval outputs"):
        expect.that(part in failed, f"{part} have NaN, which agrees with nothing.", failed)
    failed = _compare(student, draw, expect, "softmax", "one gradient", shape=[3, WIDTH],
                      factor=1.01, place=draw.integer(0, 11))  # fmt: skip
    expect.equal(failed, ["train gradients", "eval gradients"],
                 what="what fails if the backward of a softmax model is wrong")  # fmt: skip


@check("8.8.j", row="optimization_validity", level="pass")
def test_sound_backends_agree(student, draw, expect):
    """Sound backends agree, whatever the model has, and everything is left as it was."""
    _sound_backends_agree(student, draw, expect)
    _models_of_all_kinds_agree(student, draw, expect)


@check("8.8.j", row="optimization_validity", level="pass")
def test_wrong_outputs_are_found(student, draw, expect):
    """Wrong outputs are found in either mode, and nothing agrees by accident."""
    _wrong_outputs_are_found(student, draw, expect)
    _both_modes_are_compared(student, draw, expect)
    _nothing_agrees_by_accident(student, draw, expect)


@check("8.8.j", row="optimization_validity", level="strong")
def test_a_wrong_backward_is_found(student, reference, draw, expect):
    """A backend that is wrong in its backward alone is found, whichever gradient it spoils."""
    _a_wrong_backward_is_found(student, draw, expect)
    _a_missing_gradient_is_found(student, draw, expect)
    _a_wrong_backward_of_torch_itself(student, reference, draw, expect)
