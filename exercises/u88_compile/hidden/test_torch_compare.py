"""Hidden checks of compare (8.8.j), with backends that are wrong in one thing or in none."""

from __future__ import annotations

from grader.checks import check
from grader.checks.watched import watched

PARTS = ["train outputs", "train gradients", "eval outputs", "eval gradients"]
GRADIENTS = [part for part in PARTS if "gradients" in part]
ROWS, WIDTH, WIDTH_OF_PADDED = 6, 4, 3
WEIGHTS = {"the weight of the first layer": [8, WIDTH], "the weight of the last layer": [3, 8]}
BIASES = {"the bias of the first layer": [8], "the bias of the last layer": [3]}


def _case(draw, model, backend, **more):
    """Return one comparison for the probe."""
    return {"model": model, "backend": backend, "x": draw.normal((ROWS, WIDTH)),
            "seed": draw.integer(0, 9999), **more}  # fmt: skip


def _compare(student, expect, cases):
    """Return what fails in each comparison; nothing but the report may be left of it."""
    found = []
    for seen in watched(student, expect, "compared", {"cases": cases}):
        left = ", ".join(map(str, seen["changed"]))
        expect.that(not left, f"compare left something changed: {left}.")
        report = seen["report"]
        expect.keys(report, ["agree", "failed"], what="the report")
        failed = report["failed"]
        fine = isinstance(failed, list) and all(isinstance(part, str) for part in failed)
        expect.that(fine, "`failed` must be a list of names.", failed)
        expect.equal(report["agree"], not failed, what="agree")
        found.append(failed)
    return found


def _hold(student, expect, cases):
    """Hold what fails in ``(case, failed, words)`` each."""
    found = _compare(student, expect, [case for case, _, _ in cases])
    for failed, (_, want, words) in zip(found, cases, strict=True):
        expect.equal(failed, want, what=f"what fails {words}")


@check("8.8.j", row="optimization_validity", level="pass")
def test_sound_backends_agree(student, draw, expect):
    """Sound backends agree, whatever the model has, and everything is left as it was."""
    empty = {"x": draw.normal((0, WIDTH))}
    _hold(student, expect, [
        (_case(draw, "everything", "aot_eager"), [], "with BatchNorm and dropout under aot_eager"),
        (_case(draw, "tied", "eager", strided=True), [],
         "with shared, frozen and unused parameters and a strided batch"),
        (_case(draw, "padded", "eager", leaf=True), [],
         "with a batch that needs a gradient itself and has one"),
        (_case(draw, "tokens", "eager"), [], "with a batch of token numbers"),
        (_case(draw, "plain", "eager", **empty), [], "with a batch without examples"),
        (_case(draw, "counting", "eager"), [],
         "with a buffer that each call in training changes (both start from the same buffers)"),
    ])  # fmt: skip


@check("8.8.j", row="optimization_validity", level="pass")
def test_wrong_outputs_are_found(student, draw, expect):
    """Wrong outputs are found in either mode, and nothing agrees by accident."""
    where = {"factor": 1.001, "place": draw.integer(0, 3 * ROWS - 1)}
    outputs = ["train outputs", "eval outputs"]
    _hold(student, expect, [
        (_case(draw, "plain", "one output", **where), outputs,
         "if one entry of the output is off by a thousandth of the largest"),
        (_case(draw, "two", "wrong in training"), PARTS[:2], "if training alone is wrong"),
        (_case(draw, "two", "wrong in evaluation"), PARTS[2:], "if evaluation alone is wrong"),
    ])  # fmt: skip
    faulty, axis, nan = _compare(student, expect, [
        _case(draw, "plain", "relu_accuracy_error_TESTING_ONLY"),
        _case(draw, "plain", "another axis"), _case(draw, "log", "eager"),
    ])  # fmt: skip
    for part in outputs:
        expect.that(
            part in faulty, f"{part} must fail: torch's backend for tests spoils relu.", faulty
        )
        expect.that(part in axis, f"{part} with an axis more were broadcast.", axis)
        expect.that(part in nan, f"{part} have NaN, which agrees with nothing.", nan)


@check("8.8.j", row="optimization_validity", level="strong")
def test_a_wrong_backward_is_found(student, draw, expect):
    """A backend that is wrong in its backward alone is found, whichever gradient it spoils."""
    shapes = [draw.choice(list(WEIGHTS.items())), draw.choice(list(BIASES.items())),
              ("the batch", [ROWS, WIDTH])]  # fmt: skip
    cases = [
        (_case(draw, "plain", "one gradient", shape=shape, factor=1.01, place=draw.integer(0, 31)),
         GRADIENTS, f"if one entry of the gradient of {what} is wrong")
        for what, shape in draw.shuffled(shapes)
    ]  # fmt: skip
    what, shape = draw.choice([*WEIGHTS.items(), *BIASES.items()])
    cases.append((_case(draw, "plain", "gradient cut", shape=shape), GRADIENTS,
                  f"if {what} gets no gradient"))  # fmt: skip
    mirrored = {"shape": [3, WIDTH], "factor": 1.01, "place": draw.integer(0, 11)}
    cases.append((_case(draw, "mirrored", "one gradient", **mirrored), GRADIENTS,
                  "if the backward is wrong and the outputs cancel in a sum"))  # fmt: skip
    _hold(student, expect, cases)


@check("8.8.j", row="optimization_validity", level="strong")
def test_a_tolerance_is_declared(student, draw, expect):
    """Rounding is accepted, a difference above the declared tolerance is not."""
    _hold(student, expect, [
        (_case(draw, "plain", "all outputs", factor=factor, named=named), failed,
         f"with outputs scaled by 1 + {factor - 1:.0e} and rtol {named.get('rtol', 'as it is')}")
        for factor, named, failed in (
            (1 + 2e-6, {}, []), (1 + 2e-4, {}, PARTS), (1 + 2e-4, {"rtol": 1e-3}, []),
            (1 + 2e-6, {"rtol": 1e-7}, PARTS),
        )
    ])  # fmt: skip
    last = {"place": WIDTH_OF_PADDED * draw.integer(1, ROWS) - 1}
    _hold(student, expect, [
        (_case(draw, "tiny", "one output", factor=1.001, place=draw.integer(0, 3 * ROWS - 1)),
         ["train outputs", "eval outputs"],
         "if all outputs are some 1e-8 and one is off by a thousandth of the largest"),
        (_case(draw, "padded", "one output", factor=1 + 4e-6, **last), [],
         "if an output of 0 is off by 4e-6 of the largest, which is within rtol=1e-5"),
    ])  # fmt: skip
