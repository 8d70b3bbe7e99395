"""Hidden checks of nonfinite_counts and guarded_step (8.5.k, 8.5.l): counts that decide."""

from __future__ import annotations

import math

import numpy as np

from grader.checks import check
from grader.checks.watched import watched

from .asked import F32, INF, NAN, ROW

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
    seen = watched(student, expect, "counted", {"tensors": tensors})
    expect.equal(seen["counts"], truth, what="counts")
    expect.equal(seen["order"], list(truth), what="the order of the names")
    expect.that(seen["kept"] is True, "The tensors were changed.")


@check("8.5.k", **ROW, level="pass")
def test_exactly_one_wait(student, draw, expect):
    """However many tensors there are, the host waits for the device once."""
    for count in (1, draw.integer(4, 30)):
        tensors, truth = _tensors(draw, count)
        seen = watched(student, expect, "counted", {"tensors": tensors})
        expect.equal(len(seen["waits"]), 1, what=f"host syncs for {count} tensors")
        expect.equal(seen["counts"], truth, what="counts")
    seen = watched(student, expect, "counted", {"tensors": []})
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
        ["large", np.full(2, 3e38, F32), "plain"],
        ["wide", np.full(2, -1e300), "plain"],
        # sums that bfloat16 and float16 do not hold
        ["many", np.full(301, NAN, F32), "bf16"],
        ["more", np.full(2051, -INF, F32), "fp16"],
        ["empty", np.zeros((0, 3), F32), "plain"],
        ["scalar", np.array(-INF, F32), "plain"],
        ["three", array, "plain"],
        ["gone", None, ""],
        ["whole", np.arange(4), "plain"],
        ["keep", np.array([True, False]), "plain"],
    ]
    truth = {
        "absent": None, "huge": 0, "large": 0, "wide": 0, "many": 301, "more": 2051, "empty": 0,
        "scalar": 1, "three": 2, "gone": None, "whole": 0, "keep": 0,
    }  # fmt: skip
    seen = watched(student, expect, "counted", {"tensors": tensors})
    expect.equal(seen["counts"], truth, what="counts")
    expect.that(seen["kept"] is True, "The dict of tensors was changed.")
    absent = [["a", None, ""], ["b", None, ""]]
    seen = watched(student, expect, "counted", {"tensors": absent})
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
    seen = watched(student, expect, "guarded", case)["steps"]
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
        (draw.uniform(3, 5), [INF], INF),
        (0.0, [], 1.0),
    ):
        gradients = _gradients(draw, weights, size)
        loss = draw.uniform(0.1, 5)
        step = {"grads": gradients, "loss": loss, "max_norm": options}
        (seen,) = _steps(student, expect, {"weights": weights, "steps": [step]})
        _reported(expect, seen, True, loss, size, {})
        _moved(expect, seen, gradients, min(1.0, limit / size) if size else 1.0)


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
    # a frozen parameter that has a gradient of an earlier step: dropped, and it moves nothing
    old = {"second": draw.normal((5,)) * 9}
    for more in ({}, {"stale": old}):
        (seen,) = _steps(student, expect, {**case, "steps": [{**step, **more}]})
        _reported(expect, seen, True, 1.0, 3.0, {})
        _moved(expect, seen, {**gradients, "second": np.zeros(5)}, 1 / 3.0)
    # not in this loss: weight decay must not move it either
    case = {"weights": weights, "steps": [step], "optimizer": "adamw"}
    (seen,) = _steps(student, expect, case)
    still = float(np.abs(seen["moved"]["second"]).max())
    expect.equal(still, 0.0, what="how far a parameter without a gradient was moved")
    # in the model, and of no optimizer: part of the norm, and bad for all
    gradients = _gradients(draw, weights, 3.0)
    case = {"weights": weights, "optimized": ["first", "last"]}
    spoiled = {**gradients, "second": np.full(5, NAN, F32)}
    steps = [{"grads": gradients, "loss": 1.0, "stale": old}, {"grads": spoiled, "loss": 1.0}]
    first, second = _steps(student, expect, {**case, "steps": steps})
    _reported(expect, first, True, 1.0, 3.0, {})
    _moved(expect, first, {**gradients, "second": np.zeros(5)}, 1 / 3.0)
    _reported(expect, second, False, 1.0, None, {"second": 5})


@check("8.5.l", **ROW, level="pass")
def test_limits_that_are_none(student, draw, expect):
    """A max_norm that is not positive is refused before anything happens."""
    weights = _weights(draw)
    for limit in (0.0, -1.0, NAN):
        gradients = _gradients(draw, weights, 2.0)
        step = {"grads": gradients, "stale": gradients, "loss": 1.0, "max_norm": [limit]}
        (seen,) = watched(student, expect, "guarded", {"weights": weights, "steps": [step]})[
            "steps"
        ]
        refused = "ValueError" in (seen["raised"] or [])
        expect.that(refused, f"A max_norm of {limit} must raise ValueError.")
        expect.that(seen["untouched"] is True, "Weights changed although it was refused.")
        expect.equal(seen["backwards"], 0, what="backwards although it was refused")
        left = seen["gradients_left"]
        expect.equal(left, list(weights), what="gradients that are there after a refusal")
