"""Hidden checks of the repairs (8.8.g, h, i): outputs and gradients in closed form, and graphs."""

from __future__ import annotations

import numpy as np

from grader.checks import check
from grader.checks.watched import watched

ROUNDING = {"float64": 2.0**-53, "float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}


def _scaled(x, weights):
    """Return output and gradient of the faulty function: the peak is a number."""
    peak = np.abs(x).max()
    peak = peak if not peak <= 1.0 else 1.0  # as max(peak, 1.0) does, NaN included
    with np.errstate(all="ignore"):
        return x / peak, weights / peak


def _unit_ball(x, weights):
    """Return output and gradient of the branch: of x / |x|, or of x."""
    with np.errstate(all="ignore"):
        length = np.sqrt(np.square(x).sum())
        if not length > 1:
            return x, weights
        along = (x * weights).sum() / length**2
        return x / length, (weights - x * along) / length


TRUTH = {"scaled": _scaled, "unit_ball": _unit_ball}


def _exactly(x, dtype):
    """Return values that the dtype holds exactly, and what a transposed view makes of them."""
    if dtype == "bfloat16":
        bits = np.asarray(x, dtype=np.float32).view(np.uint32) & np.uint32(0xFFFF0000)
        return bits.view(np.float32)
    return np.asarray(x, dtype=dtype)


def _input(x, dtype="float32", gradients=False, transposed=False):
    x = _exactly(x, dtype)
    sent = x if dtype != "bfloat16" else x.astype(np.float32)
    return {"x": sent, "dtype": dtype, "gradients": gradients, "transposed": transposed}


def _judge_row(expect, row, one, function, what, gradients):
    """Hold one run against the closed form."""
    x = one["x"].astype(np.float64)
    x = x.T if one["transposed"] else x
    weights = np.arange(1, x.size + 1, dtype=np.float64).reshape(x.shape)
    output, gradient = TRUTH[function](x, weights)
    rounding = ROUNDING[one["dtype"]]
    expect.equal(row["dtype"], f"torch.{one['dtype']}", what=f"the dtype of {what}")
    message = "The input itself was returned, or a view of it, not a new tensor."
    expect.that(row["same memory"] is False, message)
    # a norm of n entries adds n roundings of its own; four for anything else
    bound = rounding * (4 + (x.size if function == "unit_ball" else 0))
    scale = np.abs(output[np.isfinite(output)]).max(initial=0.0)
    expect.close(row["output"], output, atol=bound * scale, what=f"the output for {what}")
    if gradients:
        scale = np.abs(gradient).max(initial=0.0)
        expect.close(row["gradient"], gradient, atol=4 * bound * scale,
                     what=f"the gradient for {what}")  # fmt: skip


def _run(student, expect, function, cases, gradients=False):
    """Run a repaired function on ``(input, words)`` and hold it against the closed form."""
    inputs = [{**one, "gradients": gradients} for one, _ in cases]
    case = {"function": function, "inputs": inputs}
    rows = watched(student, expect, "repaired", case)
    for row, (one, what) in zip(rows, cases, strict=True):
        _judge_row(expect, row, one, function, what, gradients)


def _inspect(student, expect, function, cases):
    """Expect one graph without a break, for other sizes too, and the right numbers compiled."""
    inputs = [{**one, "gradients": True} for one, _ in cases]
    case = {"function": function, "inputs": inputs, "sizes": [4, 5, 6, 9]}
    seen = watched(student, expect, "inspected", case)
    expect.equal(seen["break"], "", what="torch's reason for a break of the repaired function")
    expect.that(seen["graphs"] > 0 and seen["operators"] > 0,
                "Nothing of the function is compiled: it hides from the compiler.")  # fmt: skip
    expect.equal(seen["graphs"], 1, what="graphs of the repaired function")
    expect.that(seen["recompiles"] is False, "It is compiled again after two warm-up calls.")
    for row, (one, what) in zip(seen["rows"], cases, strict=True):
        _judge_row(expect, row, one, function, f"{what}, compiled", False)


def _scaled_in_one_graph(student, draw, expect):
    """Scaled is one graph without a break, and gives the faulty function's outputs compiled."""
    large, small = draw.normal((3, 4)) * 5, draw.normal((3, 4)) * 0.1
    large[1, 2] = 7.5
    _inspect(student, expect, "scaled", [(_input(large), "a peak above 1"),
                                         (_input(small), "a peak below 1")])  # fmt: skip


@check("8.8.g", row="fault_repair", level="pass")
def test_scaled_gives_the_same(student, draw, expect):
    """Scaled is one graph and gives what faulty_scaled does, in any dtype and layout."""
    _scaled_in_one_graph(student, draw, expect)
    large, small = draw.normal((4, 3)) * 9, draw.normal((4, 3)) * 0.05
    large[draw.integer(0, 3), draw.integer(0, 2)] = -draw.uniform(40, 90)
    cases = [
        (_input(large), "a peak above 1"), (_input(small), "a peak below 1"),
        (_input(large, transposed=True), "a transposed view"),
        (_input(large, "float64"), "float64"), (_input(large, "float16"), "float16"),
        (_input(small, "float16"), "small float16"),
        (_input(large, "bfloat16"), "bfloat16"), (_input(np.zeros(3)), "zeros"),
        (_input(np.array(-8.0)), "one number"), (_input([[1.0]]), "a peak of 1"),
        (_input([np.nan, 2.0, -3.0]), "NaN"), (_input([np.nan, 0.5]), "NaN and small numbers"),
        (_input([np.inf, 2.0]), "an infinity"), (_input([0.25, -np.inf]), "minus infinity"),
    ]  # fmt: skip
    _run(student, expect, "scaled", cases)


@check("8.8.g", row="fault_repair", level="strong")
def test_scaled_has_the_same_gradient(student, draw, expect):
    """The gradient of scaled is that of faulty_scaled, for which the peak is a number."""
    large, small = draw.normal((5,)) * 4, draw.normal((5,)) * 0.1
    large[draw.integer(0, 4)] = draw.choice([-1, 1]) * draw.uniform(15, 20)
    _run(student, expect, "scaled", [
        (_input(large), "a peak above 1"), (_input(small), "a peak below 1"),
        (_input(large, "float64"), "float64"), (_input(np.zeros(2)), "zeros"),
        (_input([3.0, -3.0, 3.0]), "a peak that is reached three times"),
        (_input([[-5.0]]), "one entry"),
    ], gradients=True)  # fmt: skip


def _unit_ball_in_one_graph(student, draw, expect):
    """unit_ball is one graph without a break, and is right compiled on both sides of the branch."""
    far, near = draw.normal((6,)) * 5 + 1, draw.normal((6,)) * 0.05
    _inspect(student, expect, "unit_ball", [(_input(far), "a long vector"),
                                            (_input(near), "a short vector")])  # fmt: skip


@check("8.8.h", row="fault_repair", level="pass")
def test_unit_ball_on_both_sides(student, draw, expect):
    """unit_ball is one graph and gives what the branch does, for long and short vectors."""
    _unit_ball_in_one_graph(student, draw, expect)
    far, near = draw.normal((3, 4)) * 3 + 1, draw.normal((3, 4)) * 0.05
    broken = draw.normal((3,)) * 2
    broken[draw.integer(0, 2)] = np.nan
    _run(student, expect, "unit_ball", [
        (_input(far), "a long one"), (_input(near), "a short one"),
        (_input(far, transposed=True), "a transposed view"), (_input(far, "float64"), "float64"),
        (_input(near, "float64"), "a short one in float64"), (_input(np.zeros(4)), "zeros"),
        (_input(np.zeros((0, 3))), "no entries"), (_input(np.array(-3.0)), "one number"),
        (_input(broken), "NaN in one entry"), (_input([0.1, np.nan]), "NaN and a small number"),
        (_input([np.inf, 1.0]), "an infinity"), (_input([1.0625, 0.0]), "a length just over 1"),
        (_input([0.9375, 0.0]), "a length just under 1"),
    ])  # fmt: skip


@check("8.8.h", row="fault_repair", level="strong")
def test_unit_ball_has_the_same_gradient(student, draw, expect):
    """Gradients are those of the branch that is taken, for zeros too; no NaN comes in."""
    far, near = draw.normal((5,)) * 3 + 1, draw.normal((5,)) * 0.05
    _run(student, expect, "unit_ball", [
        (_input(far), "a long vector"), (_input(near), "a short vector"),
        (_input(far, "float64"), "float64"), (_input(np.zeros(3)), "zeros"),
        (_input([[-4.0]]), "one entry"), (_input([0.5]), "one small entry"),
        (_input(np.zeros(0)), "no entries"),
    ], gradients=True)  # fmt: skip


def _warmed(student, draw, expect, backend, gradients):
    """Call the module in several modes and hold each call against ``calls / steps``."""
    steps, gain = draw.integer(3, 5), draw.uniform(0.5, 2)
    modes = [False, True, True, False, True, False, *[True] * 4]
    x = draw.normal((2, 3), draw.choice([np.float32, np.float64]))
    case = {"steps": steps, "modes": modes, "x": x, "backend": backend, "gain": gain}
    seen = watched(student, expect, "warmed", case)
    expect.equal(seen["start"], 0, what="the count of a new module")
    expect.that(seen["training"] is True, "A new module must be in training mode.")
    count = 0
    gain = float(np.float32(gain))
    for number, (row, training) in enumerate(zip(seen["rows"], modes, strict=True), 1):
        count += training
        scale, what = min(1.0, count / steps), f"call {number} of a warm-up of {steps}"
        expect.equal(row["calls"], count, what=f"the count after {what}")
        expect.equal(row["dtype"], f"torch.{x.dtype}", what=f"the dtype of {what}")
        wide = x.astype(np.float64)
        expect.close(row["output"], wide * gain * scale, atol=1e-6 * np.abs(wide * gain).max(),
                     what=f"the output of {what}")  # fmt: skip
        if gradients:
            expect.close(row["gradient"], np.full(x.shape, gain * scale), rtol=1e-6,
                         what=f"the gradient of {what}")  # fmt: skip
            expect.close(row["gain"], wide.sum() * scale, atol=1e-6 * np.abs(wide).sum(),
                         what=f"the gradient of gain in {what}")  # fmt: skip
    expect.equal(seen["other"], 0, what="the count of another module")
    expect.equal(seen["twin"], count + 1, what="the count of a copy after one call more")
    expect.equal(seen["after the twin"], count, what="the count of the copied module")


@check("8.8.i", row="fault_repair", level="pass")
def test_warmup_counts_alike(student, draw, expect):
    """The module scales as the faulty one does at every call, and counts in training alone."""
    _warmed(student, draw, expect, "", gradients=True)


def _warmup_counts_on_compiled(student, draw, expect):
    """Compiled, the module counts on, and its outputs are those of each call."""
    _warmed(student, draw, expect, "eager", gradients=False)


@check("8.8.i", row="fault_repair", level="strong")
def test_warmup_gradients_compiled(student, draw, expect):
    """Compiled with aot_eager, the gradients are those of the call that was made."""
    _warmed(student, draw, expect, "aot_eager", gradients=True)


@check("8.8.i", row="fault_repair", level="pass")
def test_warmup_is_compiled_once(student, draw, expect):
    """One graph serves all calls of a mode, and the module counts on in it."""
    _warmup_counts_on_compiled(student, draw, expect)
    calls = draw.integer(10, 14)
    modes = [True] * 4 + [False] + [True] * (calls - 5)
    case = {"steps": draw.integer(2, 6), "calls": calls, "modes": modes}
    seen = student.run("warm_counts", case)
    got, faulty = seen["repaired"], seen["faulty"]
    expect.equal(got["break"], "", what="torch's reason for a break of the repaired module")
    expect.that(got["operators"] > 0 and 0 not in got["ran"],
                "A call of the repaired module ran nothing compiled.", got["ran"])  # fmt: skip
    expect.equal(got["graphs"], len(set(modes)), what="graphs over all calls, one for each mode")
    expect.that(faulty["graphs"] > got["graphs"], "The faulty module should need more graphs.")
    expect.equal(got["calls"], sum(modes), what="the count after compiled calls")


@check("8.8.i", row="fault_repair", level="pass")
def test_warmup_keeps_its_checkpoint(student, draw, expect):
    """Checkpoints have the keys they had, and load from either side."""
    gain = draw.choice([0.25, 0.5, 2.0])
    seen = student.run("warm_state", {"steps": draw.integer(2, 6), "gain": gain})
    expect.equal(seen["keys"], seen["old keys"], what="keys of the state")
    expect.equal(seen["parameters"], ["gain"], what="names of the parameters")
    expect.equal(seen["old into new"], gain, what="gain of the new module, loaded from an old one")
    expect.equal(seen["new into old"], 1.0, what="gain of the old module, loaded from a new one")
