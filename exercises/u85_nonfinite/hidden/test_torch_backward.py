"""Hidden checks of first_bad_backward and replay_anomaly (8.5.i, 8.5.j): faults of a backward."""

from __future__ import annotations

import numpy as np

from grader.checks import check
from grader.checks.watched import watched

from .asked import F32, ROW
from .layered import place_in

# 8.5.i first_bad_backward


def _backward(student, expect, case, truth):
    """Search the backward of a scene; gradients must be the same bits as without a search."""
    seen = watched(student, expect, "backward_find", case)
    expect.that(seen["raised"] is None, "The search raised an error.", seen["raised"])
    find = seen["find"]
    if truth is None:
        expect.that(find is None, "A bad gradient is reported where there is none.", find)
    else:
        expect.that(find is not None, "The bad gradient is not found.")
        expect.keys(find, ["node", "nth", "side", "kind"], what="the find")
        for key, want in truth.items():
            expect.equal(find[key], want, what=f"the {key} of the find")
    return seen


def _positive(draw, *shape):
    return (np.abs(draw.normal(shape)) + 0.5).astype(F32)


@check("8.5.i", **ROW, level="pass")
def test_infinite_slope_at_a_random_layer(student, draw, expect):
    """The node that turned finite gradients into infinite ones is named, wherever it is."""
    count = draw.integer(3, 5)
    case = {
        "scene": "root_at_a_layer", "x": draw.normal((2, 3)), "at": draw.integer(0, count - 1),
        "entry": place_in(draw, 2, 3), "weights": [draw.normal((3, 3)) * 0.5 for _ in range(count)],
    }  # fmt: skip
    seen = _backward(student, expect, case, {"node": "SqrtBackward0", "nth": 0, "side": "out"})
    expect.one_of(seen["find"]["kind"], ["+inf", "-inf"], what="the kind of the find")


@check("8.5.i", **ROW, level="pass")
def test_nan_behind_a_where(student, draw, expect):
    """A branch that was not chosen makes NaN, and the root in it is named."""
    x = _positive(draw, 5)
    x[draw.integer(0, 4)] = 0
    truth = {"node": "SqrtBackward0", "nth": 0, "side": "out", "kind": "nan"}
    _backward(student, expect, {"scene": "one_where", "op": "sqrt", "x": x}, truth)


@check("8.5.i", **ROW, level="pass")
def test_which_of_its_name(student, draw, expect):
    """Of several nodes of one name the find says how many ran before it."""
    for sign, kind in ((1, "+inf"), (-1, "-inf")):
        after = draw.integer(1, 3)
        factors = [1e20, sign * 1e20, *[2.0] * after]
        x = np.full(draw.integer(1, 4), 1e-38, F32)
        truth = {"node": "MulBackward0", "nth": after + 1, "side": "out", "kind": kind}
        _backward(student, expect, {"scene": "growing_gradient", "x": x, "factors": factors}, truth)


@check("8.5.i", **ROW, level="strong")
def test_nth_counts_nodes_that_ran(student, draw, expect):
    """In a graph with branches nth follows the backward itself, not a walk over the graph."""
    for first in draw.shuffled([True, False]):
        # the branch that was made last runs first, on whichever side of the sum it stands
        count = draw.integer(2, 4)
        x = np.full(draw.integer(1, 4), 1e-38, F32)
        case = {"scene": "two_branches", "x": x, "times": count, "first": first}
        truth = {"node": "MulBackward0", "nth": count + 1, "side": "out", "kind": "+inf"}
        _backward(student, expect, case, truth)


@check("8.5.i", **ROW, level="pass")
def test_kind_of_the_first_bad_entry(student, draw, expect):
    """The kind is that of the first bad entry of the first bad gradient of the node."""
    for sign, kind in draw.shuffled([(1, "+inf"), (-1, "-inf")]):
        # at 0 the slope of the root is infinite, and 0 times that is NaN
        weights = np.array([1, sign, 0, -sign], F32)
        case = {"scene": "weighted_root", "x": np.array([1, 0, 0, 0], F32), "weights": weights}
        _backward(student, expect, case, {"node": "SqrtBackward0", "side": "out", "kind": kind})
    # 1 / 0 for the numerator, 0 / 0 for the denominator
    case = {"scene": "quotient", "x": np.zeros(1, F32), "y": np.zeros(1, F32)}
    _backward(student, expect, case, {"node": "DivBackward0", "side": "out", "kind": "+inf"})


@check("8.5.i", **ROW, level="strong")
def test_sum_between_two_nodes(student, draw, expect):
    """Two finite gradients whose sum overflows come in bad: the node is no culprit."""
    x = np.full(draw.integer(1, 4), -80, F32)
    case = {"scene": "used_twice", "x": x, "inner": True}
    _backward(
        student, expect, case, {"node": "ExpBackward0", "side": "in", "kind": "+inf", "nth": 0}
    )
    seen = _backward(student, expect, {**case, "inner": False, "x": x * 0}, {"side": "in"})
    name = str(seen["find"]["node"])
    expect.that("AccumulateGrad" in name, "The sum at a leaf is not found at the leaf.", name)


@check("8.5.i", **ROW, level="strong")
def test_consumer_of_a_forward_nan(student, draw, expect):
    """A NaN of the forward shows at the node that used it, and not at the one that made it."""
    x = _positive(draw, 5, 4)
    x[draw.integer(0, 4), draw.integer(0, 3)] = -1
    for tanh, node in ((False, "AddmmBackward0"), (True, "TanhBackward0")):
        case = {"scene": "linear_after_log", "x": x, "out": 3, "tanh": tanh}
        truth = {"node": node, "nth": 0, "side": "out", "kind": "nan"}
        _backward(student, expect, case, truth)


@check("8.5.i", **ROW, level="pass")
def test_large_graphs(student, draw, expect):
    """Thousands of nodes in a row, and more paths than can be walked, are no obstacle."""
    x = np.array([1.0, 0.0], F32)
    truth = {"node": "SqrtBackward0", "nth": 0, "side": "out", "kind": "+inf"}
    _backward(student, expect, {"scene": "deep", "x": x, "times": 3000}, truth)
    _backward(student, expect, {"scene": "doublings", "x": x, "times": 60, "bad": True}, truth)
    fine = {"scene": "doublings", "x": x, "times": 60, "bad": False}
    _backward(student, expect, fine, None)


@check("8.5.i", **ROW, level="pass")
def test_same_gradients_with_hooks(student, draw, expect):
    """Gradients are added to .grad, the same bits as without the search."""
    case = {
        "scene": "root_at_a_layer", "x": draw.normal((2, 3)), "at": 1, "entry": [0, 0],
        "weights": [draw.normal((3, 3)) for _ in range(3)],
    }  # fmt: skip
    clean = {"scene": "soft_cross_entropy", "x": draw.normal((3, 4))}
    silent = {"scene": "one_operation", "op": "log", "x": -_positive(draw, 3)}
    part = {"scene": "one_part", "x": draw.normal((3,))}
    old = {**clean, "old": draw.uniform(1, 9)}
    # gradients beyond float32, and finite
    wide = {"scene": "growing_gradient", "x": np.full(3, 1e-300), "factors": [1e100, 1e100, 1e100]}
    fine = [(scene, None) for scene in (clean, silent, part, old, wide)]
    for scene, truth in ((case, {}), *fine):
        seen = _backward(student, expect, scene, truth)
        expect.that(
            len(seen["same"]) > 0 and all(seen["same"]),
            "The gradients are not those of a plain backward: run it once, and change nothing.",
        )


@check("8.5.i", **ROW, level="pass")
def test_backward_that_cannot_run(student, draw, expect):
    """A loss without a graph is refused, and what a node raises is passed on."""
    for scene, wanted, message in (
        ("without_graph", "ValueError", ""),
        ("broken", "RuntimeError", "the backward itself is broken"),
    ):
        seen = watched(student, expect, "backward_find", {"scene": scene, "x": draw.normal((3,))})
        raised, text = seen["raised"] or ([], "")
        expect.that(wanted in raised, f"The search must raise {wanted} here.", raised[:1] or None)
        expect.that(message in text, "The error is not the one that the node raised.", text)


# 8.5.j replay_anomaly


def _replay(student, expect, node, **case):
    """Replay a step; expect the node, one call, the RNG and the mode as they were."""
    seen = watched(student, expect, "replayed", case)
    expect.that(seen["raised"] is None, "The replay raised an error.", seen["raised"])
    expect.equal(len(seen["calls"]), 1, what="calls of the step's function")
    expect.equal(seen["node"], node, what="the node that anomaly detection names")
    expect.that(seen["filters"] is True, "The filters of warnings were left changed.")
    return seen


@check("8.5.j", **ROW, level="pass")
def test_replay_draws_the_same_mask(student, draw, expect):
    """The replay starts at the RNG state of the failed step, so that dropout draws its mask."""
    node = "RsqrtBackward0"
    _replay(student, expect, node, step="where", now="kept", given="dropped")
    _replay(student, expect, None, step="where", now="dropped", given="kept")
    _replay(student, expect, node, step="where", now="dropped", given="none")


@check("8.5.j", **ROW, level="pass")
def test_any_node_and_any_output(student, draw, expect):
    """The node may be a function of one's own, and the NaN in another output than its first."""
    _replay(student, expect, "PoisonBackward", step="own", now="kept", given="kept")
    _replay(student, expect, "DivBackward0", step="second", now="kept", given="kept")


@check("8.5.j", **ROW, level="pass")
def test_rng_after_a_replay(student, draw, expect):
    """After the replay the RNG is where it was before the call."""
    for given, node in (("dropped", "RsqrtBackward0"), ("kept", None), ("none", None)):
        seen = _replay(student, expect, node, step="where", now="kept", given=given)
        expect.that(seen["rng"] is True, "The RNG is not where it was before the call.")
    case = {"step": "fails", "now": "kept", "given": "dropped"}
    seen = watched(student, expect, "replayed", case)
    expect.that(seen["rng"] is True, "The RNG is not where it was when the step raised.")


@check("8.5.j", **ROW, level="pass")
def test_mode_after_a_replay(student, draw, expect):
    """Anomaly detection is afterwards what it was: off, on, or on without NaN checks."""
    for mode in ("off", "on", "unchecked"):
        for step, given in (("where", "dropped"), ("where", "kept"), ("fails", "kept")):
            case = {"step": step, "now": "kept", "given": given, "mode": mode}
            seen = watched(student, expect, "replayed", case)
            expect.that(seen["mode"] is True, f"Anomaly detection was {mode} and is not now.")
    # without NaN checks it would find nothing
    _replay(
        student,
        expect,
        "RsqrtBackward0",
        step="where",
        now="kept",
        given="dropped",
        mode="unchecked",
    )


@check("8.5.j", **ROW, level="pass")
def test_silent_for_infinities(student, draw, expect):
    """An infinite gradient is nothing that anomaly detection names."""
    _replay(student, expect, None, step="infinite", now="kept", given="kept")


@check("8.5.j", **ROW, level="pass")
def test_other_errors_are_passed_on(student, draw, expect):
    """Errors of the step itself are no finds, whatever their text."""
    for step, kind, text in (
        ("fails", "ValueError", "the forward itself fails"),
        ("broken", "RuntimeError", "the backward itself is broken"),
        ("impostor", "RuntimeError", "Function 'LogBackward0' returned nan values"),
    ):
        case = {"step": step, "now": "kept", "given": "kept"}
        seen = watched(student, expect, "replayed", case)
        name, message = seen["raised"] or (None, "")
        expect.that(name == kind, f"The step's own {kind} is not passed on.", seen["node"])
        expect.that(text in message, "Another error is raised than the step's own.", message)
