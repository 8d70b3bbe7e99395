"""Hidden checks of where_safe, unit_rows and additive_mask (8.5.m to 8.5.o): safe formulas."""

from __future__ import annotations

import numpy as np

from grader.checks import check
from grader.checks.watched import refused, watched

from .asked import F32, INF, NAN, ROW

# 8.5.m where_safe


_SLOPES = {
    "sqrt": (np.sqrt, lambda x: 0.5 / np.sqrt(x)),
    "log": (np.log, lambda x: 1 / x),
    "rsqrt": (lambda x: x**-0.5, lambda x: -0.5 * x**-1.5),
    "reciprocal": (lambda x: 1 / x, lambda x: -1 / x**2),
}


def _guarded(student, expect, draw, case, slope_of_other=0.0):
    """Guard a function; expect value and gradient of the true piecewise function."""
    x, keep = case["x"].astype(np.float64), case["keep"]
    x = x.T if case.get("transposed") else x
    upstream = draw.normal(x.shape)
    seen = watched(student, expect, "safe_where", {**case, "upstream": upstream})
    expect.that(seen["tensor"] is True, "The result is not a tensor.")
    value, slope = _SLOPES[case["function"]]
    keep = np.broadcast_to(keep, x.shape)
    inside = np.where(keep, x, case["safe"])
    other = x if isinstance(case["other"], str) else case["other"]
    tolerance = {"fp16": 2e-3, "bf16": 2e-2}.get(case.get("dtype"), 1e-5)
    expect.equal(seen["dtype"], _DTYPES[case.get("dtype", "fp32")], what="the dtype")
    want = np.where(keep, value(inside), other)
    expect.close(seen["value"], want, rtol=tolerance, what="the value")
    want = np.where(keep, slope(inside), slope_of_other) * upstream
    expect.close(seen["gradient"], want, rtol=4 * tolerance, what="the gradient")
    expect.that(seen["kept"] is True, "The entries of x were changed.")
    return seen, upstream


_DTYPES = {"fp32": "torch.float32", "fp16": "torch.float16", "bf16": "torch.bfloat16"}


def _mixed(draw, shape, bad):
    """Return numbers of which some are fine, and where these are."""
    x = (np.abs(draw.normal(shape)) + 0.5).astype(F32)
    keep = draw.rng.random(shape) < 0.5
    keep.flat[0], keep.flat[1] = True, False
    x[~keep] = [draw.choice(bad) for _ in range(int((~keep).sum()))]
    return x, keep


@check("8.5.m", **ROW, level="pass")
def test_gradient_behind_a_where(student, draw, expect):
    """The gradient is that of the chosen branch, where the other one has an infinite slope, too."""
    for name, bad in (("sqrt", [0.0, -4.0]), ("log", [0.0, -1.0]), ("reciprocal", [0.0])):
        x, keep = _mixed(draw, (3, 4), bad)
        case = {"function": name, "x": x, "keep": keep, "safe": 1.0, "other": -2.5}
        _guarded(student, expect, draw, case)


@check("8.5.m", **ROW, level="pass")
def test_gradient_of_the_other_branch(student, draw, expect):
    """The other branch may have a gradient of its own, and gets it where it was chosen."""
    x, keep = _mixed(draw, (3, 4), [0.0, -4.0])
    case = {"function": "sqrt", "x": x, "keep": keep, "safe": 1.0, "other": "x"}
    _guarded(student, expect, draw, case, slope_of_other=1.0)
    # a mask's number: infinite, and of no effect where the function is kept
    _guarded(student, expect, draw, {**case, "other": -INF})
    case["other"] = draw.normal((4,))
    seen, upstream = _guarded(student, expect, draw, case)
    want = np.where(keep, 0, upstream).sum(axis=0)
    expect.close(seen["other_gradient"], want, rtol=1e-4, atol=1e-5, what="the other's gradient")


@check("8.5.m", **ROW, level="pass")
def test_function_sees_safe_input_only(student, draw, expect):
    """The function never sees an entry that is not kept, NaN and infinities included."""
    x, keep = _mixed(draw, (3, 4), [0.0, -4.0, NAN, INF])
    case = {"function": "rsqrt", "x": x, "keep": keep, "safe": draw.uniform(0.5, 3), "other": 0.0}
    seen, _ = _guarded(student, expect, draw, case)
    expect.that(seen["saw"] is True, "The function was called with an entry that is not kept.")


@check("8.5.m", **ROW, level="pass")
def test_masks_that_broadcast(student, draw, expect):
    """Masks that broadcast, transposed views, half precision, and none or all kept."""
    x = (np.abs(draw.normal((3, 4))) + 0.5).astype(F32)
    column = draw.integer(0, 3)
    x[:, column] = 0.0
    case = {"function": "sqrt", "x": x, "keep": np.arange(4) != column, "safe": 1.0, "other": 3.0}
    for dtype in ("fp32", "fp16", "bf16"):
        rounded = x if dtype == "fp32" else (np.round(x * 16) / 16).astype(F32)
        _guarded(student, expect, draw, {**case, "x": rounded, "dtype": dtype})
    row = {**case, "keep": (np.arange(4) != column)[:, None], "transposed": True}
    _guarded(student, expect, draw, row)
    _guarded(student, expect, draw, {**case, "keep": np.zeros((3, 4), bool), "other": "x"}, 1.0)
    x = x + 1
    _guarded(student, expect, draw, {**case, "x": x, "keep": np.ones((3, 4), bool)})
    for single, kept in ((np.zeros((0, 4), F32), True), (np.array(2.0, F32), False)):
        _guarded(student, expect, draw, {**case, "x": single, "keep": np.array(kept)})


# 8.5.n unit_rows


def _rows(student, expect, draw, x, eps=1e-6, **more):
    """Expect unit rows and their gradient, by the closed form in float64."""
    upstream = draw.normal(x.shape)
    given = {} if eps == 1e-6 else {"eps": [eps]}
    seen = watched(student, expect, "rows", {"x": x, "upstream": upstream, **given, **more})
    expect.that(seen["tensor"] is True, "The result is not a tensor.")
    expect.equal(seen["dtype"], f"torch.{x.dtype}", what="the dtype")
    wide = x.astype(np.float64)
    norm = np.sqrt(np.square(wide).sum(-1, keepdims=True))
    length = np.maximum(norm, eps)
    want = wide / length
    # some rounding errors of the entries, whose squares add up to 1, and of the sum of squares
    expect.close(seen["value"], want, rtol=1e-5, atol=1e-6, what="the rows")
    along = np.where(norm > eps, (want * upstream).sum(-1, keepdims=True), 0.0)
    fine = isinstance(seen["gradient"], np.ndarray) and seen["gradient"].shape == x.shape
    expect.that(fine, "There is no gradient of the shape of x.")
    # compared in units of the row's length, in which gradients are of order 1
    scaled = seen["gradient"].astype(np.float64) * length
    expect.close(
        scaled, upstream - want * along, rtol=1e-4, atol=1e-5, what="gradient times length"
    )


@check("8.5.n", **ROW, level="pass")
def test_rows_of_zeros_have_a_gradient(student, draw, expect):
    """A row of zeros stays zero, and its gradient is the upstream one over eps."""
    x = draw.normal((4, 3))
    x[draw.integer(0, 3)] = 0
    _rows(student, expect, draw, x)
    _rows(student, expect, draw, x, eps=10.0 ** draw.uniform(-3, -1))
    _rows(student, expect, draw, np.zeros((1, 1), F32))


@check("8.5.n", **ROW, level="pass")
def test_rows_shorter_than_eps(student, draw, expect):
    """A row shorter than eps is divided by eps, and so is its gradient."""
    x = draw.normal((5, 3), draw.choice([F32, np.float64]))
    x /= np.linalg.norm(x, axis=-1, keepdims=True)
    x *= np.array([[0.003], [0.009], [0.011], [0.3], [7.0]], x.dtype)
    _rows(student, expect, draw, x, eps=0.01, columns=True)


@check("8.5.n", **ROW, level="pass")
def test_rows_whose_squares_overflow(student, draw, expect):
    """Rows too large or too small to be squared have unit rows, and finite gradients."""
    x = draw.normal((4, 3))
    x[0] *= 1e30
    x[1] *= 1e20
    x[2] *= 1e-25
    x[3] *= 1e-30
    _rows(student, expect, draw, x, eps=1e-35)


@check("8.5.n", **ROW, level="pass")
def test_rows_of_other_shapes(student, draw, expect):
    """One row alone, many dimensions, and rows or batches without entries."""
    for shape in ((5,), (2, 3, 4), (0, 3), (3, 0)):
        _rows(student, expect, draw, draw.normal(shape))


# 8.5.o additive_mask


def _masks(draw, tokens):
    """Return a causal mask and a padding mask, and where both keep."""
    causal = np.tril(np.ones((tokens, tokens), bool))
    padding = np.arange(tokens)[None, :] < draw.integer(2, tokens - 1)
    return causal, padding, causal & padding


@check("8.5.o", **ROW, level="pass")
def test_two_masks_are_finite_together(student, draw, expect):
    """Where several masks apply the entry is the promised finite number, and 0 where none does."""
    for dtype, lowest in (("bf16", -(2 - 2**-7) * 2.0**127), ("fp16", -65504.0),
                          ("fp32", -(2 - 2**-23) * 2.0**127)):  # fmt: skip
        causal, padding, keep = _masks(draw, draw.integer(4, 7))
        third = draw.rng.random(keep.shape) < 0.8
        keeps = draw.shuffled([causal, padding, third])
        seen = watched(student, expect, "masked", {"keeps": keeps, "dtype": dtype})
        expect.that(seen["tensor"] is True, "The result is not a tensor.")
        expect.equal(seen["dtype"], _DTYPES[dtype], what="the dtype of the mask")
        want = np.where(keep & third, 0.0, lowest / 2)
        expect.equal(seen["mask"], want, what="the mask")
        expect.that(seen["kept"] is True, "The boolean masks, or the list of them, were changed.")
        # masks of which none has the shape of the result
        keeps, keep = [padding, third[:, :1]], padding & third[:, :1]
        seen = watched(student, expect, "masked", {"keeps": keeps, "dtype": dtype})
        expect.that(seen["tensor"] is True, "The result is not a tensor.")
        want = np.where(keep, 0.0, lowest / 2)
        expect.equal(seen["mask"], want, what="the mask of a row and a column")


@check("8.5.o", **ROW, level="pass")
def test_scores_fit_beside_the_mask(student, draw, expect):
    """With scores added, every row of weights is finite, also one that may see nothing."""
    tokens = draw.integer(4, 6)
    causal, padding, keep = _masks(draw, tokens)
    nothing = np.ones((tokens, 1), bool)
    nothing[draw.integer(0, tokens - 1)] = False
    scores = draw.normal((tokens, tokens)) * 20 - 100
    case = {"keeps": [causal, padding, nothing], "dtype": "fp16", "scores": scores}
    seen = watched(student, expect, "masked", case)
    expect.that(seen["tensor"] is True, "The result is not a tensor.")
    weights = seen["weights"]
    fine = isinstance(weights, np.ndarray) and weights.shape == scores.shape
    expect.that(fine, "The mask does not have the shape of the scores.")
    expect.that(bool(np.isfinite(weights).all()), "Weights after the softmax are not finite.")
    hidden = weights[~(keep & nothing) & nothing]
    expect.equal(float(np.abs(hidden).sum()), 0.0, what="the weight of what is masked")


@check("8.5.o", **ROW, level="pass")
def test_masks_that_were_filled_already(student, draw, expect):
    """A mask of numbers, and no mask at all, are refused; one boolean mask is enough."""
    causal, padding, _ = _masks(draw, 4)
    for place in (0, 1):
        for kind, word in (("filled", "that was filled already"), ("whole", "of whole numbers")):
            case = {"keeps": [causal, padding], "spoiled": [[place, kind]], "dtype": "fp32"}
            refused(student, expect, f"for a mask {word}", "masked", case)
    refused(student, expect, "for no mask", "masked", {"keeps": [], "dtype": "fp32"})
    seen = watched(student, expect, "masked", {"keeps": [padding], "dtype": "fp32"})
    expect.that(seen["tensor"] is True, "The result is not a tensor.")
    want = np.where(padding, 0.0, -(2 - 2**-23) * 2.0**126)
    expect.equal(seen["mask"], want, what="one mask alone")
