"""Hidden checks of 8.1.a to 8.1.c: gradients held against PyTorch's, and what is saved for them."""

from __future__ import annotations

from itertools import product

import numpy as np

from grader.checks import check


def _vjp(student, expect, function, args, needs, g, layouts=None):  # noqa: PLR0917
    case = {"function": function, "args": args, "needs": needs, "g": g, "layouts": layouts}
    seen = student.run("vjp", case)
    expect.that(not seen["problem"], f"{function}: {seen['problem']}.")
    expect.that(seen["args_kept"], f"{function} changed one of its arguments.")
    expect.that(seen["saved_kept"], "pull changed what was saved, or the gradient it was handed.")
    expect.equal(len(seen["gradients"]), len(needs), what="the number of gradients")
    for place, need in enumerate(needs):
        if not need:
            expect.that(
                seen["gradients"][place] is None,
                f"The gradient of argument {place} is not needed, so that pull must return None.",
            )
        else:
            expect.that(
                seen["gradients"][place] is not None,
                f"The gradient of argument {place} is needed, and pull returns None for it.",
            )
    return seen


def _eps(dtype):
    return float(np.finfo(dtype).eps)


def _own_numbers(expect, got, what):
    """Expect no NaN: the arguments and the output are NaN by the time pull is called."""
    nan = isinstance(got, np.ndarray) and got.dtype.kind == "f" and bool(np.isnan(got).any())
    note = (
        f"NaN in {what}. When pull is called, the arguments and the output hold other numbers, NaN "
        "here: it must read saved and g alone."
    )
    expect.that(not nan, note)


def _linear_case(draw, B, n, m, dtype):
    args = [draw.normal((B, n), dtype), draw.normal((m, n), dtype), draw.normal((m,), dtype)]
    return args, draw.normal((B, m), dtype)


def _held_linear(expect, reference, seen, args, g, needs=(True, True, True)):
    """Hold output and gradients against float64, within the rounding of k products and sums."""
    y, *gradients = reference.run("torch_linear", {"args": args, "g": g}, stage="torch")
    x, W, _ = (np.abs(array).max(initial=0) for array in args)
    top, (B, m), n = np.abs(g).max(initial=0), g.shape, args[0].shape[1]
    eps = _eps(args[0].dtype)
    expect.close(seen["output"], y, atol=(n + 2) * eps * (n * x * W + 4), what="the output")
    bounds = ((m + 1) * eps * m * top * W, (B + 1) * eps * B * top * x, (B + 1) * eps * B * top)
    for name, got, want, bound, need in zip(
        ("x", "W", "b"), seen["gradients"], gradients, bounds, needs, strict=True
    ):
        if need:
            _own_numbers(expect, got, f"the gradient of {name}")
            expect.close(got, want, atol=float(bound), what=f"the gradient of {name}")


# 8.1.a linear_vjp


@check("8.1.a", row="prediction", level="pass")
def test_linear_gradients(student, reference, draw, expect):
    """Output and gradients are PyTorch's, computed from what was saved and from nothing else."""
    for dtype in (np.float64, np.float32):
        B, n, m = draw.integer(4, 9), draw.integer(2, 7), draw.integer(2, 7)
        args, g = _linear_case(draw, B, n, m, dtype)
        seen = _vjp(student, expect, "linear_vjp", args, [True, True, True], g)
        _held_linear(expect, reference, seen, args, g)
        name = np.dtype(dtype).name
        expect.equal(seen["output_dtype"], name, what=f"dtype of the output for {name}")
        expect.equal(seen["dtypes"], [name] * 3, what=f"dtypes of the gradients for {name}")


@check("8.1.a", row="prediction", level="pass")
def test_linear_saves_only_what_is_needed(student, reference, draw, expect):
    """For each of the eight masks, x is saved only for the gradient of W, and W only for x."""
    B, n, m = draw.integer(3, 6), draw.integer(7, 9), draw.integer(10, 12)
    args, g = _linear_case(draw, B, n, m, np.float64)
    for needs in draw.shuffled(list(product([True, False], repeat=3))):
        seen = _vjp(student, expect, "linear_vjp", args, list(needs), g)
        places = sorted(str(array["on"]) for array in seen["saved"])
        want = (["0"] if needs[1] else []) + (["1"] if needs[0] else [])
        words = ", ".join(n for n, need in zip(("x", "W", "b"), needs, strict=True) if need)
        asked = f"gradients of {words}" if words else "no gradient at all"
        copies = sum(array["on"] is None for array in seen["saved"])
        expect.equal(copies, 0, what=f"saved arrays that are no view of an argument, for {asked},")
        named = [("x", "W", "b", "y")["012o".index(place[0])] for place in places]
        expected = [("x", "W")[int(place)] for place in want]
        expect.equal(named, expected, what=f"what is saved for {asked}")
        _held_linear(expect, reference, seen, args, g, needs)


@check("8.1.a", row="prediction", level="pass")
def test_linear_views_and_edges(student, reference, draw, expect):
    """Views are saved as views, whatever their strides; an empty batch has zero gradients."""
    for layout in ("transposed", "strided"):
        args, g = _linear_case(draw, draw.integer(3, 5), draw.integer(3, 5), 4, np.float64)
        seen = _vjp(student, expect, "linear_vjp", args, [True] * 3, g, [layout, layout, "plain"])
        copies = sum(array["on"] is None for array in seen["saved"])
        expect.equal(copies, 0, what=f"copies among the saved arrays, for {layout} arguments,")
        _held_linear(expect, reference, seen, args, g)
    for B, n, m in ((0, 3, 2), (1, 1, 1)):
        args, g = _linear_case(draw, B, n, m, np.float32)
        seen = _vjp(student, expect, "linear_vjp", args, [True] * 3, g)
        _held_linear(expect, reference, seen, args, g)


def _refuses(student, expect, function, args, needs, why):
    raised = student.run("refused", {"function": function, "args": [*args, needs]})
    seen = raised[0] if raised else None
    expect.that("ValueError" in raised, f"{function} must raise ValueError for {why}.", seen)


@check("8.1.a", row="prediction", level="pass")
def test_linear_refuses_what_does_not_fit(student, draw, expect):
    """Shapes that only fit by broadcasting, other ranks and mixed dtypes are refused."""
    n, m = draw.integer(3, 5), draw.integer(6, 8)
    x, W, b = draw.normal((4, n)), draw.normal((m, n)), draw.normal((m,))
    wide = draw.normal((m, n))  # as many examples as outputs, so that a column broadcasts as well
    for args, why in (
        ((x, W, draw.normal((1,))), "a bias of one element"),
        ((x, W, draw.normal((4, m))), "a bias for each example"),
        ((x, W, b[None]), "a bias of shape [1, m], a row"),
        ((wide, W, b[:, None]), "a bias of shape [m, 1], a column"),
        ((np.stack([x, x]), W, b), "an input of shape [2, B, n]"),
        ((x[0], W, b), "an input of shape [n], one example"),
        ((x, W[None], b), "a weight of shape [1, m, n]"),
        ((x, draw.normal((m, n + 1)), b), "a weight that does not fit the input"),
        ((x, draw.normal((n, m)), draw.normal((n,))), "a weight that lies the other way"),
        ((x.astype(np.float16), W, b), "an input of float16 with weights of float32"),
        ((x, W, b.astype(np.float64)), "a bias of float64 with weights of float32"),
    ):
        _refuses(student, expect, "linear_vjp", args, [True, True, True], why)
    _refuses(student, expect, "linear_vjp", (x, W, b), [True, True], "a mask of two entries")


# 8.1.b relu_vjp


@check("8.1.b", row="prediction", level="pass")
def test_relu_values_and_gradient(student, reference, draw, expect):
    """Output and gradient are PyTorch's, also at 0, at infinities, and for an infinite gradient."""
    x = draw.normal((draw.integer(4, 7), 6), np.float64)
    x[0, :4] = 0.0, -0.0, np.inf, -np.inf
    g = draw.normal(x.shape, np.float64)
    g[0, 3] = np.inf
    g[1] = np.where(x[1] > 0, g[1], np.nan)
    y, want = reference.run("torch_relu", {"args": [x], "g": g}, stage="torch")
    seen = _vjp(student, expect, "relu_vjp", [x], [True], g)
    expect.close(seen["output"], y, what="the output")
    expect.close(seen["gradients"][0], want, what="the gradient")
    for dtype in ("float32", "float64"):
        for shape in ((1,), (0, 3), (2, 3, 4)):
            x, g = draw.normal(shape, dtype), draw.normal(shape, dtype)
            y, want = reference.run("torch_relu", {"args": [x], "g": g}, stage="torch")
            seen = _vjp(student, expect, "relu_vjp", [x], [True], g)
            expect.close(seen["output"], y, what=f"the output for shape {list(shape)}")
            got = seen["gradients"][0]
            expect.close(got, want, what=f"the gradient for shape {list(shape)}")
            expect.equal(seen["output_dtype"], dtype, what="dtype of the output")
            expect.equal(seen["dtypes"], [dtype], what="dtype of the gradient")


@check("8.1.b", row="prediction", level="pass")
def test_relu_lets_nan_through(student, draw, expect):
    """NaN in the input is NaN in the output: a bad value is not turned into a good one."""
    x = draw.normal((3, 5))
    place = draw.integer(0, 4)
    x[1, place] = np.nan
    seen = _vjp(student, expect, "relu_vjp", [x], [True], draw.normal((3, 5)))
    expect.equal(np.isnan(seen["output"]), np.isnan(x), what="where the output is NaN")


@check("8.1.b", row="prediction", level="pass")
def test_relu_keeps_its_output(student, draw, expect):
    """The output itself is saved, not the input, a copy or a mask, and only if it is needed."""
    x, g = draw.normal((4, 6)), draw.normal((4, 6))
    seen = _vjp(student, expect, "relu_vjp", [x], [True], g)
    expect.equal(len(seen["saved"]), 1, what="the number of saved arrays")
    place = seen["saved"][0]["on"]
    what = {0: "the input", "output": "the output"}.get(place, "memory of its own")
    expect.equal(what, "the output", what="what the saved array lies on")
    seen = _vjp(student, expect, "relu_vjp", [x], [False], g)
    expect.equal(len(seen["saved"]), 0, what="saved arrays when no gradient is needed")
    for needs in ([True, True], []):
        _refuses(student, expect, "relu_vjp", [x], needs, f"a mask of {len(needs)} entries")


# 8.1.c softmax_xent_vjp


def _held_xent(expect, reference, seen, case):
    """Hold loss and gradient against float64; a sum of C exponentials rounds C + 3 times."""
    loss, gradient = reference.run("torch_xent", case, stage="torch")
    logits = case["args"][0]
    eps = _eps(logits.dtype)
    spread = np.ptp(np.where(np.isfinite(logits), logits, 0)) + logits.shape[1] + 3
    expect.close(seen["output"], loss, atol=4 * eps * spread, what="the loss")
    bound = 4 * eps * spread * abs(case["g"]) / len(logits)
    expect.close(seen["gradients"][0], gradient, atol=bound, what="the gradient of the logits")


@check("8.1.c", row="prediction", level="pass")
def test_xent_loss_and_gradient(student, reference, draw, expect):
    """Loss and gradient are PyTorch's, with a gradient that is not 1, in the logits' dtype."""
    for dtype, number in (("float64", float), ("float32", float), ("float32", np.float64)):
        B, C = draw.integer(3, 8), draw.integer(3, 6)
        logits = draw.normal((B, C), dtype)
        labels = np.array(draw.integers(0, C - 1, B))
        case = {"args": [logits, labels], "g": number(draw.uniform(2.0, 3.0))}
        seen = _vjp(student, expect, "softmax_xent_vjp", case["args"], [True], case["g"])
        _own_numbers(expect, seen["gradients"][0], "the gradient of the logits")
        _held_xent(expect, reference, seen, case)
        if not seen["python_float"]:
            expect.equal(seen["output_dtype"], dtype, what="dtype of the loss")
        what = f"dtype of the gradient, for logits of {dtype} and g of {number.__name__},"
        expect.equal(seen["dtypes"], [dtype], what=what)
    case = {"args": [draw.normal((1, 1)), np.array([0])], "g": 1.0}
    seen = _vjp(student, expect, "softmax_xent_vjp", case["args"], [True], 1.0)
    _held_xent(expect, reference, seen, case)


@check("8.1.c", row="prediction", level="pass")
def test_xent_of_large_logits(student, reference, draw, expect):
    """Logits of ten thousand and of minus infinity give finite numbers."""
    B, C = 6, draw.integer(4, 6)
    logits = (draw.normal((B, C)) * np.float32(1e4)).astype(np.float32)
    labels = np.array(draw.integers(0, C - 1, B))
    for row in range(0, B, 2):
        logits[row, (labels[row] + 1) % C] = -np.inf
    logits[1] -= np.float32(3e4)
    case = {"args": [logits, labels], "g": 1.0}
    seen = _vjp(student, expect, "softmax_xent_vjp", case["args"], [True], 1.0)
    expect.that(bool(np.isfinite(seen["output"])), "The loss of large logits is not finite.")
    fine = bool(np.isfinite(seen["gradients"][0]).all())
    expect.that(fine, "The gradient of large logits is not finite.")
    _held_xent(expect, reference, seen, case)


@check("8.1.c", row="prediction", level="pass")
def test_xent_saves_one_array(student, draw, expect):
    """One array as large as the logits is saved beside the labels, and nothing if not needed."""
    B, C = draw.integer(5, 8), draw.integer(9, 12)
    logits, labels = draw.normal((B, C)), np.array(draw.integers(0, C - 1, B))
    seen = _vjp(student, expect, "softmax_xent_vjp", [logits, labels], [True], 1.0)
    large = [a for a in seen["saved"] if a["shape"] == [B, C]]
    other = sum(array["bytes"] for array in seen["saved"] if array["shape"] != [B, C])
    expect.equal(len(large), 1, what="saved arrays of the logits' shape")
    fine = large[0]["bytes"] <= logits.nbytes
    expect.that(fine, "The saved array takes more bytes than the logits.", large[0]["bytes"])
    expect.that(other <= labels.nbytes, "More is saved than one array and the labels.", other)
    seen = _vjp(student, expect, "softmax_xent_vjp", [logits, labels], [False], 1.0)
    expect.equal(len(seen["saved"]), 0, what="saved arrays when no gradient is needed")


@check("8.1.c", row="prediction", level="pass")
def test_xent_refuses(student, draw, expect):
    """An empty batch, labels of another length and labels that are no class are refused."""
    C = draw.integer(3, 6)
    logits, labels = draw.normal((4, C)), np.array(draw.integers(0, C - 1, 4))
    for place, wrong in ((draw.integer(0, 3), -1), (draw.integer(0, 3), C)):
        bad = labels.copy()
        bad[place] = wrong
        _refuses(student, expect, "softmax_xent_vjp", (logits, bad), [True],
                 f"a label of {'C' if wrong == C else wrong}")  # fmt: skip
    for args, why in (
        ((logits[:0], labels[:0]), "an empty batch"),
        ((logits, labels[:3]), "three labels for four examples"),
        ((logits, labels[:1]), "one label for four examples"),
    ):
        _refuses(student, expect, "softmax_xent_vjp", args, [True], why)
    needs = [True, True]
    _refuses(student, expect, "softmax_xent_vjp", (logits, labels), needs, "a mask of two entries")
