"""Hidden checks of unit 8.5, PyTorch stage: counts, the guarded step, and safe formulas."""

from __future__ import annotations

import math
import re

import numpy as np

from grader.checks import check

INF, NAN = math.inf, math.nan
ROW = {"row": "fault_repair"}
F16, F32 = np.float16, np.float32


def _run(student, expect, probe, case):
    """Run a probe and return what it saw; the process must be left as it was found."""
    seen = student.run("watched", {**case, "probe": probe})
    expect.equal(seen["changed"], [], what="settings of the process that were left changed")
    return seen["value"]


# 8.5.k nonfinite_counts


def _tensors(draw, count):
    """Return named tensors of many forms with bad entries, and how many there are."""
    forms = ["plain", "transposed", "bf16", "fp16", "parameter"]
    tensors, truth = [], {}
    for number in range(count):
        array = draw.normal((draw.integer(1, 4), draw.integer(1, 5)))
        bad = draw.rng.random(array.shape) < 0.4
        array[bad] = [draw.choice([NAN, INF, -INF]) for _ in range(int(bad.sum()))]
        name = f"{draw.name(3)}.{number}"
        tensors.append([name, array, forms[number % len(forms)]])
        truth[name] = int(bad.sum())
    return tensors, truth


@check("8.5.k", **ROW, level="pass")
def test_counts_by_name(student, draw, expect):
    """NaN and both infinities are counted, name by name, in any dtype and layout."""
    tensors, truth = _tensors(draw, 7)
    seen = _run(student, expect, "counted", {"tensors": tensors})
    expect.equal(seen["counts"], truth, what="counts")
    expect.equal(seen["order"], list(truth), what="the order of the names")
    expect.that(seen["kept"] is True, "The tensors were changed.")


@check("8.5.k", **ROW, level="pass")
def test_exactly_one_wait(student, draw, expect):
    """However many tensors there are, the host waits for the device once."""
    for count in (1, draw.integer(4, 30)):
        tensors, truth = _tensors(draw, count)
        seen = _run(student, expect, "counted", {"tensors": tensors})
        expect.equal(len(seen["waits"]), 1, what=f"host syncs for {count} tensors")
        expect.equal(seen["counts"], truth, what="counts")
    seen = _run(student, expect, "counted", {"tensors": []})
    expect.between(len(seen["waits"]), 0, 1, what="host syncs for no tensor")
    expect.equal(seen["counts"], {}, what="counts of no tensor")


@check("8.5.k", **ROW, level="pass")
def test_not_measured_is_not_zero(student, draw, expect):
    """None stays None; finite, empty, whole and huge tensors have no bad entry."""
    place = draw.integer(0, 2)
    array = np.ones((3, 2, 2), F32)
    array[place, 0, 1], array[0, 1, 0] = NAN, INF
    tensors = [
        ["absent", None, ""],
        ["huge", np.full((2, 3), 60000, F32), "fp16"],
        ["empty", np.zeros((0, 3), F32), "plain"],
        ["scalar", np.array(-INF, F32), "plain"],
        ["three", array, "plain"],
        ["gone", None, ""],
        ["whole", np.arange(4), "plain"],
        ["keep", np.array([True, False]), "plain"],
    ]
    truth = {
        "absent": None, "huge": 0, "empty": 0, "scalar": 1, "three": 2, "gone": None,
        "whole": 0, "keep": 0,
    }  # fmt: skip
    seen = _run(student, expect, "counted", {"tensors": tensors})
    expect.equal(seen["counts"], truth, what="counts")
    absent = [["a", None, ""], ["b", None, ""]]
    seen = _run(student, expect, "counted", {"tensors": absent})
    expect.equal(seen["counts"], {"a": None, "b": None}, what="counts where there are none")


@check("8.5.k", **ROW, level="pass", device="cuda")
def test_one_wait_on_a_device(student, draw, expect):
    """On a CUDA device PyTorch itself reports one synchronising call."""
    tensors, truth = _tensors(draw, 9)
    seen = student.run("counted_on_a_device", {"tensors": tensors})
    expect.equal(seen["counts"], truth, what="counts")
    expect.equal(seen["waits"], 1, what="synchronising calls that PyTorch reports")


# 8.5.l guarded_step


def _weights(draw):
    return {"first": draw.normal((3, 4)), "second": draw.normal((5,)), "last": draw.normal((2, 2))}


def _gradients(draw, weights, size):
    """Return gradients of a global norm of `size`."""
    raw = {name: draw.normal(array.shape, np.float64) for name, array in weights.items()}
    norm = math.sqrt(sum(float(np.square(array).sum()) for array in raw.values()))
    return {name: (array * (size / norm)).astype(F32) for name, array in raw.items()}


def _steps(student, expect, case):
    """Take the steps of a case; every gradient must be gone after each."""
    seen = _run(student, expect, "guarded", case)["steps"]
    for step in seen:
        expect.that(step["raised"] is None, "The step raised an error.", step["raised"])
        expect.keys(step["report"], ["stepped", "loss", "norm", "bad"], what="the report")
        expect.equal(step["gradients_left"], [], what="gradients that were not dropped")
    return seen


def _reported(expect, step, stepped, loss, norm, bad):
    report = step["report"]
    expect.equal(report["stepped"], stepped, what="stepped")
    expect.equal(report["bad"], bad, what="bad gradients by name")
    expect.close(report["loss"], loss, rtol=1e-6, what="loss")
    if norm is not None:
        expect.close(report["norm"], norm, rtol=1e-4, what="norm before clipping")


def _moved(expect, step, gradients, factor):
    """Expect an SGD step with a rate of 1 to have moved each weight by its clipped gradient."""
    for name, gradient in gradients.items():
        want = gradient.astype(np.float64) * factor
        # the weights are of order 1: their own rounding, and the promised 1e-4 of the norm
        atol = 4 * 2.0**-23 * 8
        expect.close(step["moved"][name], want, rtol=2e-4, atol=atol, what=f"the update of {name}")


@check("8.5.l", **ROW, level="pass")
def test_step_is_clipped_by_the_global_norm(student, draw, expect):
    """A long gradient is cut to max_norm over all parameters together, a short one is not."""
    weights = _weights(draw)
    for size, options, limit in (
        (draw.uniform(0.2, 0.8), [], 1.0),
        (draw.uniform(3, 50), [], 1.0),
        (draw.uniform(3, 5), [2.0], 2.0),
        (draw.uniform(3, 5), [draw.uniform(6, 9)], 9.0),
    ):
        gradients = _gradients(draw, weights, size)
        loss = draw.uniform(0.1, 5)
        step = {"grads": gradients, "loss": loss, "max_norm": options}
        (seen,) = _steps(student, expect, {"weights": weights, "steps": [step]})
        _reported(expect, seen, True, loss, size, {})
        _moved(expect, seen, gradients, min(1.0, limit / size))


@check("8.5.l", **ROW, level="pass")
def test_huge_gradients_are_clipped(student, draw, expect):
    """Gradients whose squares overflow float32 are cut to max_norm: not to 0, and not skipped."""
    weights = _weights(draw)
    size = 10.0 ** draw.uniform(20, 30)
    gradients = _gradients(draw, weights, size)
    step = {"grads": gradients, "loss": 1.0}
    (seen,) = _steps(student, expect, {"weights": weights, "steps": [step]})
    _reported(expect, seen, True, 1.0, size, {})
    _moved(expect, seen, gradients, 1 / size)


@check("8.5.l", **ROW, level="pass")
def test_one_bad_entry_spoils_nothing(student, draw, expect):
    """A step with a bad gradient changes no bit of weights and optimizer, and says which it was."""
    weights = _weights(draw)
    good = {"grads": _gradients(draw, weights, 0.5), "loss": 1.0}
    for optimizer in ("sgd", "adamw"):
        gradients = _gradients(draw, weights, 0.5)
        name = draw.choice(list(weights))
        count = draw.integer(1, 3)
        gradients[name].flat[:count] = [draw.choice([NAN, INF, -INF]) for _ in range(count)]
        step = {"grads": gradients, "loss": 2.0}
        case = {"weights": weights, "steps": [good, step], "optimizer": optimizer}
        _, seen = _steps(student, expect, case)
        expect.equal(seen["report"]["bad"], {name: count}, what="bad gradients by name")
        expect.that(seen["untouched"] is True, "A step with a bad gradient changed the weights.")
        expect.that(seen["state_kept"] is True, "It changed the optimizer's state.")
        _reported(expect, seen, False, 2.0, None, {name: count})
        norm = seen["report"]["norm"]
        bad = isinstance(norm, float | np.floating) and not math.isfinite(norm)
        expect.that(bad, "The norm of a bad gradient is not finite; report it as it is.", norm)


@check("8.5.l", **ROW, level="pass")
def test_bad_loss_with_finite_gradients(student, draw, expect):
    """A loss that is NaN or infinite skips the step, though every gradient is finite."""
    weights = _weights(draw)
    for loss in (NAN, INF, -INF):
        step = {"grads": _gradients(draw, weights, 0.5), "loss": loss}
        (seen,) = _steps(student, expect, {"weights": weights, "steps": [step]})
        expect.that(seen["untouched"] is True, "A step with a bad loss changed the weights.")
        _reported(expect, seen, False, loss, 0.5, {})


@check("8.5.l", **ROW, level="pass")
def test_next_step_starts_clean(student, draw, expect):
    """Neither a skipped step nor gradients that lie about leak into the next step."""
    weights = _weights(draw)
    spoiled = _gradients(draw, weights, 0.5)
    spoiled["second"][draw.integer(0, 4)] = NAN
    good = _gradients(draw, weights, 0.7)
    steps = [{"grads": spoiled, "loss": 1.0}, {"grads": good, "loss": 1.0}]
    _, seen = _steps(student, expect, {"weights": weights, "steps": steps})
    _reported(expect, seen, True, 1.0, 0.7, {})
    _moved(expect, seen, good, 1.0)
    stale = {"grads": good, "loss": 1.0, "stale": _gradients(draw, weights, 5.0)}
    (seen,) = _steps(student, expect, {"weights": weights, "steps": [stale]})
    _reported(expect, seen, True, 1.0, 0.7, {})
    _moved(expect, seen, good, 1.0)


@check("8.5.l", **ROW, level="pass")
def test_frozen_and_tied_parameters(student, draw, expect):
    """Parameters without a gradient take no part, and a tied one counts once."""
    weights = _weights(draw)
    rest = {name: weights[name] for name in ("first", "last")}
    gradients = _gradients(draw, rest, 3.0)
    step = {"grads": gradients, "loss": 1.0}
    case = {"weights": weights, "steps": [step], "frozen": ["second"], "tied": {"again": "first"}}
    (seen,) = _steps(student, expect, case)
    _reported(expect, seen, True, 1.0, 3.0, {})
    _moved(expect, seen, {**gradients, "second": np.zeros(5)}, 1 / 3.0)


@check("8.5.l", **ROW, level="pass")
def test_limits_that_are_none(student, draw, expect):
    """A max_norm that is not positive is refused before anything happens."""
    weights = _weights(draw)
    for limit in (0.0, -1.0, NAN):
        step = {"grads": _gradients(draw, weights, 2.0), "loss": 1.0, "max_norm": [limit]}
        (seen,) = _run(student, expect, "guarded", {"weights": weights, "steps": [step]})["steps"]
        refused = "ValueError" in (seen["raised"] or [])
        expect.that(refused, f"A max_norm of {limit} must raise ValueError.")
        expect.that(seen["untouched"] is True, "Weights changed although it was refused.")


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
    seen = _run(student, expect, "safe_where", {**case, "upstream": upstream})
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


# 8.5.n unit_rows


def _rows(student, expect, draw, x, eps=1e-6, **more):
    """Expect unit rows and their gradient, by the closed form in float64."""
    upstream = draw.normal(x.shape)
    given = {} if eps == 1e-6 else {"eps": [eps]}
    seen = _run(student, expect, "rows", {"x": x, "upstream": upstream, **given, **more})
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
        seen = _run(student, expect, "masked", {"keeps": keeps, "dtype": dtype})
        expect.that(seen["tensor"] is True, "The result is not a tensor.")
        expect.equal(seen["dtype"], _DTYPES[dtype], what="the dtype of the mask")
        want = np.where(keep & third, 0.0, lowest / 2)
        expect.equal(seen["mask"], want, what="the mask")
        expect.that(seen["kept"] is True, "The boolean masks were changed.")


@check("8.5.o", **ROW, level="pass")
def test_scores_fit_beside_the_mask(student, draw, expect):
    """With scores added, every row of weights is finite, also one that may see nothing."""
    tokens = draw.integer(4, 6)
    causal, padding, keep = _masks(draw, tokens)
    nothing = np.ones((tokens, 1), bool)
    nothing[draw.integer(0, tokens - 1)] = False
    scores = draw.normal((tokens, tokens)) * 20 - 100
    case = {"keeps": [causal, padding, nothing], "dtype": "fp16", "scores": scores}
    seen = _run(student, expect, "masked", case)
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
    for case in ({"keeps": [causal, padding], "filled": True}, {"keeps": []}):
        answer = student.attempt("watched", {**case, "dtype": "fp32", "probe": "masked"})
        refused = answer.status == "raised" and answer.error.type == "ValueError"
        why = "for no mask" if not case["keeps"] else "for a mask that is not boolean"
        expect.that(refused, f"additive_mask must raise ValueError {why}.")
    seen = _run(student, expect, "masked", {"keeps": [padding], "dtype": "fp32"})
    expect.that(seen["tensor"] is True, "The result is not a tensor.")
    want = np.where(padding, 0.0, -(2 - 2**-23) * 2.0**126)
    expect.equal(seen["mask"], want, what="one mask alone")


# 8.5.p assert_finite


def _test(student, expect, function, inputs, truth, **more):
    """Run a guard test; expect it to pass, or to fail at an input with a word."""
    arrays = [np.array(values, more.get("dtype", F32)) for values in inputs]
    case = {"function": function, "inputs": arrays, "needs_grad": more.get("needs_grad", False)}
    seen = _run(student, expect, "guard_test", case)
    raised = seen["raised"]
    if truth is None:
        name = raised[0] if raised else None
        expect.that(not raised, f"The test fails although {function} is fine.", name)
    else:
        number, word = truth
        failed = "AssertionError" in raised
        expect.that(failed, f"The test does not fail with AssertionError on {function}.")
        message = seen["message"]
        named = re.search(rf"(?<!\d){number}(?!\d)", message) is not None
        expect.that(named, "The message does not hold the number of the input.", message)
        other = "gradient" if word == "value" else "value"
        fine = word in message and other not in message
        expect.that(fine, f"The message should say {word}, and not {other}.", message)
    if more.get("alone"):
        expect.that(seen["kept"] is True, "The inputs were changed.")
        expect.equal(seen["gradients"], 0, what="inputs whose .grad was filled")


@check("8.5.p", **ROW, level="pass")
def test_guard_fails_on_bad_values(student, draw, expect):
    """The test fails at the first input with a bad value, infinities included."""
    big = draw.uniform(90, 300)
    _test(student, expect, "plain exponential", [[1.0], [2.0, big]], (1, "value"))
    _test(student, expect, "plain logarithm", [[1.0], [1.0], [0.0], [-1.0]], (2, "value"))
    _test(student, expect, "masked", [[[1.0, -1.0]], [[1.0, 2.0]]], (0, "value"))
    _test(student, expect, "softplus", [[1.0], [big, -big]], None)


@check("8.5.p", **ROW, level="strong")
def test_guard_tells_fault_from_repair(student, draw, expect):
    """On the faulty code it fails, by a gradient alone; on the repaired code it passes."""
    inputs = [[1.0, 4.0], [draw.uniform(1, 9), 0.0, -1.0]]
    _test(student, expect, "one where", inputs, (1, "gradient"))
    _test(student, expect, "two wheres", inputs, None)
    inputs = [[1.0, 2.0], [0.5, draw.uniform(1, 9)], [0.0, 0.0]]
    _test(student, expect, "clamped too late", inputs, (2, "gradient"))
    _test(student, expect, "clamped in time", inputs, None)


@check("8.5.p", **ROW, level="pass")
def test_guard_sees_infinite_gradients(student, draw, expect):
    """A gradient that is infinite fails the test as one that is NaN does."""
    _test(student, expect, "plain root", [[draw.uniform(1, 5)], [0.0]], (1, "gradient"))


@check("8.5.p", **ROW, level="pass")
def test_guard_leaves_inputs_alone(student, draw, expect):
    """Inputs keep their values and gradients, and results without a graph are looked at, too."""
    x = [[1.0, draw.uniform(1, 5)]]
    for function in ("sign", "detached", "constant"):
        _test(student, expect, function, x, None, alone=True)
    _test(student, expect, "two wheres", x, None, alone=True, needs_grad=True)
    _test(student, expect, "two wheres", x, None, alone=True)
    _test(student, expect, "big sum", [[1.0, 2.0, 3.0]], None, dtype=F16)
    _test(student, expect, "one where", [], None)
    case = {"function": "fails", "inputs": [np.ones(2, F32)]}
    seen = _run(student, expect, "guard_test", case)
    expect.that("KeyError" in seen["raised"], "An error of the function itself is not passed on.")
