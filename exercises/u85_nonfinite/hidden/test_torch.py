"""Hidden checks of unit 8.5, PyTorch stage: finding the first bad value, and the post-mortem."""

from __future__ import annotations

import math

import numpy as np

from grader.checks import check

INF, NAN = math.inf, math.nan
BAD = (("nan", NAN), ("+inf", INF), ("-inf", -INF))
ROW = {"row": "fault_repair"}
F16, F32 = np.float16, np.float32


def _run(student, expect, probe, case):
    """Run a probe and return what it saw; the process must be left as it was found."""
    seen = student.run("watched", {**case, "probe": probe})
    expect.equal(seen["changed"], [], what="settings of the process that were left changed")
    return seen["value"]


# 8.5.h first_bad_forward


def _forward(student, expect, case, left=True):
    """Search the forward of a case; the model must be left as it was found."""
    seen = _run(student, expect, "forward_find", case)
    if left:
        raised = seen["raised"]
        expect.that(raised is None, "The search raised an error.", raised)
        expect.equal(seen["hooks"], 0, what="hooks that were left on the model")
    return seen


def _held(expect, find, truth):
    """Expect a find with at least these keys to be so; or none."""
    if truth is None:
        expect.that(find is None, "A bad value is reported where there is none.", find)
        return
    expect.that(find is not None, "The bad value is not found.")
    expect.keys(find, ["module", "call", "output", "index", "kind", "born"], what="the find")
    for key in ("module", "kind", "index", "output", "call", "born"):
        if key in truth:
            expect.equal(find[key], truth[key], what=f"the {key} of the find")


def _names(draw, count):
    names = [f"{draw.name(4)}{number}" for number in range(count)]
    return draw.shuffled(names)


def _place(draw, *shape):
    return [draw.integer(0, n - 1) for n in shape]


def _layers(draw, kinds):
    """Return modules in a random order of registration, their plan, and their names by kind."""
    names = _names(draw, len(kinds))
    modules = [[name, *kind] for name, kind in zip(names, kinds, strict=True)]
    return draw.shuffled(modules), names


def _case(draw, kinds, **more):
    modules, plan = _layers(draw, kinds)
    case = {"modules": modules, "plan": plan, "x": draw.normal((3, 4)), "seed": draw.seed % 1000}
    return {**case, **more}, plan


@check("8.5.h", **ROW, level="pass")
def test_fault_at_a_random_layer(student, draw, expect):
    """The leaf module that gave out the first bad value is named, wherever it is."""
    for kind, value in BAD:
        where = draw.integer(1, 4)
        place = _place(draw, 3, 4)
        boxed = {"boxed": draw.choice([True, False])}
        kinds = [["linear", {"boxed": draw.choice([True, False])}] for _ in range(6)]
        kinds[where] = ["spoil", {"entries": [[place, value]], **boxed}]
        kinds[where + 1] = ["relu", {}]
        kinds.append(["spoil", {"entries": [[[0, 0], draw.choice([NAN, INF])]]}])
        case, plan = _case(draw, kinds)
        name = f"{plan[where]}.inner" if boxed["boxed"] else plan[where]
        find = _forward(student, expect, case)["find"]
        truth = {"module": name, "index": place, "kind": kind, "output": 0, "call": 0, "born": True}
        _held(expect, find, truth)


@check("8.5.h", **ROW, level="pass")
def test_the_infinity_before_the_nan(student, draw, expect):
    """A float16 output that is just too large is found where it is made, not where it is NaN."""
    case, plan = _case(draw, [["identity", {}], ["wide linear", {}], ["softmax", {}]], half=True)
    case["x"] = np.ones((3, 4), F16)
    find = _forward(student, expect, case)["find"]
    _held(expect, find, {"module": plan[1], "kind": "+inf", "index": [0, 0], "born": True})


@check("8.5.h", **ROW, level="pass")
def test_tensors_inside_an_output(student, draw, expect):
    """Outputs that are lists, tuples and dicts are gone through in order."""
    for shape in draw.shuffled(["tuple", "list", "dict"]):
        bad, place = draw.integer(0, 2), _place(draw, 3, 4)
        options = {"shape": shape, "bad": bad, "entries": [[place, draw.choice([NAN, INF])]]}
        case, plan = _case(draw, [["linear", {}], ["split", options], ["join", {}]])
        find = _forward(student, expect, case)["find"]
        _held(expect, find, {"module": plan[1], "output": bad, "index": place, "born": True})


@check("8.5.h", **ROW, level="pass")
def test_first_entry_however_it_lies(student, draw, expect):
    """Of several bad entries the one with the smallest index counts, also in a transposed view."""
    first, second, third = draw.shuffled(BAD)
    entries = [[[0, 2], first[1]], [[1, 0], second[1]], [[2, 1], third[1]]]
    case, plan = _case(draw, [["tanh", {}], ["columns", {"entries": entries}], ["linear", {}]])
    find = _forward(student, expect, case)["find"]
    _held(expect, find, {"module": plan[1], "index": [0, 2], "kind": first[0]})


@check("8.5.h", **ROW, level="pass")
def test_allowed_masks_of_a_model(student, draw, expect):
    """A module that masks may give out -inf if it is allowed to, and nothing else that is bad."""
    case, plan = _case(draw, [["linear", {}], ["mask", {}], ["softmax", {}]])
    case["x"] = draw.normal((4, 4))
    _held(expect, _forward(student, expect, {**case, "allow": [[plan[1]]]})["find"], None)
    _held(expect, _forward(student, expect, {**case, "allow": [[plan[1], "other"]]})["find"], None)
    truth = {"module": plan[1], "index": [0, 1], "kind": "-inf"}
    for allow in ([], [[]], [[plan[2]]]):
        _held(expect, _forward(student, expect, {**case, "allow": allow})["find"], truth)
    place = [3, draw.integer(0, 3)]
    for kind, value in BAD[:2]:
        spoil = ["spoil", {"entries": [[place, value], [[0, 3], -INF]]}]
        case, plan = _case(draw, [["linear", {}], spoil, ["softmax", {}]])
        case |= {"x": draw.normal((4, 4)), "allow": [[plan[1]]]}
        truth = {"module": plan[1], "index": place, "kind": kind}
        _held(expect, _forward(student, expect, case)["find"], truth)


@check("8.5.h", **ROW, level="strong")
def test_cause_or_victim(student, draw, expect):
    """A module that was given a bad value is told from one that made it."""
    for kind in ("between", "gather"):
        case, plan = _case(draw, [["linear", {}], [kind, {}], ["linear", {}]])
        find = _forward(student, expect, case)["find"]
        _held(expect, find, {"module": f"{plan[1]}.inner", "born": False})
    for kinds in ([["linear", {}], ["relu", {}]], [["relu in place", {}], ["linear", {}]]):
        case, plan = _case(draw, kinds, form=draw.choice(["tensor", "tuple", "dict"]))
        case["x"][draw.integer(0, 2), draw.integer(0, 3)] = draw.choice([NAN, INF])
        find = _forward(student, expect, case)["find"]
        _held(expect, find, {"module": plan[0], "born": False})
    # what a module repairs is no find, though it was given something bad
    case, _ = _case(draw, [["hardtanh in place", {}], ["linear", {}]])
    case["x"][draw.integer(0, 2), draw.integer(0, 3)] = draw.choice([-INF, INF])
    _held(expect, _forward(student, expect, case)["find"], None)


@check("8.5.h", **ROW, level="pass")
def test_one_of_several_calls(student, draw, expect):
    """For a module that is used several times the find says which call it was."""
    call, place = draw.integer(1, 2), _place(draw, 3, 4)
    spoil = ["spoil", {"entries": [[place, NAN]], "call": call}]
    modules = [["again", *spoil], ["line", "linear", {}]]
    case = {"modules": modules, "plan": ["again", "line", "again", "line", "again", "line"]}
    find = _forward(student, expect, {**case, "x": draw.normal((3, 4))})["find"]
    _held(expect, find, {"module": "again", "call": call, "index": place})


@check("8.5.h", **ROW, level="pass")
def test_model_left_as_it_was(student, draw, expect):
    """Mode, running statistics and the RNG are what they were, in training and in evaluation."""
    place = _place(draw, 3, 4)
    for train in (True, False):
        kinds = [["linear", {}], ["norm", {}], ["dropout", {}]]
        for last in (["linear", {}], ["spoil", {"entries": [[place, INF]]}]):
            case, _ = _case(draw, [*kinds, last], train=train, own_hook="quiet")
            seen = _forward(student, expect, case)
            expect.equal(seen["own_hooks"], 1, what="hooks of the model's owner, which must stay,")
            expect.that(seen["mode"] is True, "The model's mode was changed.")
            expect.that(seen["buffers"] is True, "The running statistics of a norm were changed.")
            expect.that(seen["rng"] is True, "The RNG is not where it was.")
    # in evaluation a dropout does nothing: what is found shows which mode the model ran in
    _held(expect, seen["find"], {"index": place, "kind": "+inf"})


@check("8.5.h", **ROW, level="pass")
def test_model_that_raises(student, draw, expect):
    """A model that raises leaves no hook; a bad value before the error is reported all the same."""
    case, _ = _case(draw, [["linear", {}], ["norm", {}], ["fail", {}]])
    seen = _forward(student, expect, case, left=False)
    expect.equal(seen["raised"], ["RuntimeError", "the model itself fails"], what="the error")
    expect.equal(seen["hooks"], 0, what="hooks that were left on a model that raised")
    expect.that(seen["rng"] is True, "The RNG is not where it was after a model raised.")
    expect.that(seen["buffers"] is True, "The running statistics were changed by a failed forward.")
    case, _ = _case(draw, [["linear", {}], ["norm", {}]], own_hook="raises")
    seen = _forward(student, expect, case, left=False)
    expect.equal(seen["raised"], ["LookupError", "the hook itself fails"], what="a hook's error")
    left = [seen["hooks"], seen["own_hooks"]]
    expect.equal(left, [0, 1], what="hooks left after a hook raised: of the search, of the owner")
    case, plan = _case(draw, [["spoil", {"entries": [[[1, 1], NAN]]}], ["fail", {}]])
    seen = _forward(student, expect, case)
    _held(expect, seen["find"], {"module": plan[0], "index": [1, 1]})


@check("8.5.h", **ROW, level="pass")
def test_models_without_a_fault(student, draw, expect):
    """Huge but finite values are no find, and a model without children is its own leaf."""
    case, _ = _case(draw, [["identity", {}], ["full", {"value": 60000.0}], ["tanh", {}]], half=True)
    case["x"] = np.ones((5, 4), F16)
    _held(expect, _forward(student, expect, case)["find"], None)
    for form in ("tensor", "tuple", "dict"):
        case, _ = _case(draw, [["linear", {}], ["relu in place", {}], ["split", {
            "shape": "dict", "bad": 9, "entries": []}], ["join", {}]], form=form)  # fmt: skip
        _held(expect, _forward(student, expect, case)["find"], None)
    case, plan = _case(draw, [["spoil", {"entries": [[[2, 3], -INF]]}]])
    find = _forward(student, expect, {**case, "leaf": plan[0]})["find"]
    _held(expect, find, {"module": "", "index": [2, 3], "kind": "-inf"})
    empty = {**case, "modules": [["line", "linear", {}]], "plan": ["line"]}
    _held(expect, _forward(student, expect, {**empty, "x": np.zeros((0, 4), F32)})["find"], None)


# 8.5.i first_bad_backward


def _backward(student, expect, case, truth):
    """Search the backward of a scene; gradients must be the same bits as without a search."""
    seen = _run(student, expect, "backward_find", case)
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
        "entry": _place(draw, 2, 3), "weights": [draw.normal((3, 3)) * 0.5 for _ in range(count)],
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
    """Gradients are left in .grad, the same bits as without the search."""
    case = {
        "scene": "root_at_a_layer", "x": draw.normal((2, 3)), "at": 1, "entry": [0, 0],
        "weights": [draw.normal((3, 3)) for _ in range(3)],
    }  # fmt: skip
    clean = {"scene": "soft_cross_entropy", "x": draw.normal((3, 4))}
    silent = {"scene": "one_operation", "op": "log", "x": -_positive(draw, 3)}
    for scene, truth in ((case, {}), (clean, None), (silent, None)):
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
        seen = _run(student, expect, "backward_find", {"scene": scene, "x": draw.normal((3,))})
        raised, text = seen["raised"] or ([], "")
        expect.that(wanted in raised, f"The search must raise {wanted} here.", raised[:1] or None)
        expect.that(message in text, "The error is not the one that the node raised.", text)


# 8.5.j replay_anomaly


def _replay(student, expect, node, **case):
    """Replay a step; expect the node, one call, the RNG and the mode as they were."""
    seen = _run(student, expect, "replayed", case)
    expect.that(seen["raised"] is None, "The replay raised an error.", seen["raised"])
    expect.equal(len(seen["calls"]), 1, what="calls of the step's function")
    expect.equal(seen["node"], node, what="the node that anomaly detection names")
    return seen


@check("8.5.j", **ROW, level="pass")
def test_replay_draws_the_same_mask(student, draw, expect):
    """The replay starts at the RNG state of the failed step, so that dropout draws its mask."""
    node = "RsqrtBackward0"
    _replay(student, expect, node, step="where", now="kept", given="dropped")
    _replay(student, expect, None, step="where", now="dropped", given="kept")
    _replay(student, expect, node, step="where", now="dropped", given="none")


@check("8.5.j", **ROW, level="pass")
def test_rng_after_a_replay(student, draw, expect):
    """After the replay the RNG is where it was before the call."""
    for given, node in (("dropped", "RsqrtBackward0"), ("kept", None)):
        seen = _replay(student, expect, node, step="where", now="kept", given=given)
        expect.that(seen["rng"] is True, "The RNG is not where it was before the call.")
    seen = _run(student, expect, "replayed", {"step": "fails", "now": "kept", "given": "dropped"})
    expect.that(seen["rng"] is True, "The RNG is not where it was when the step raised.")


@check("8.5.j", **ROW, level="pass")
def test_mode_after_a_replay(student, draw, expect):
    """Anomaly detection is afterwards what it was: off, on, or on without NaN checks."""
    for mode in ("off", "on", "unchecked"):
        for step, given in (("where", "dropped"), ("where", "kept"), ("fails", "kept")):
            case = {"step": step, "now": "kept", "given": given, "mode": mode}
            seen = _run(student, expect, "replayed", case)
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
        seen = _run(student, expect, "replayed", case)
        name, message = seen["raised"] or (None, "")
        expect.that(name == kind, f"The step's own {kind} is not passed on.", seen["node"])
        expect.that(text in message, "Another error is raised than the step's own.", message)


# 8.5.q post_mortem


SUSPECTS = ("input", "weights", "forward", "loss", "backward")


def _mortem(student, expect, case, cause, place):
    """Expect the cause, the place, and numbers that a second count confirms."""
    seen = _run(student, expect, "mortem", case)
    report = seen["report"]
    expect.keys(report, ["cause", "place", "rejected", "numbers"], what="the report")
    expect.keys(report["numbers"], SUSPECTS, what="numbers")
    for suspect in SUSPECTS:
        expect.equal(
            report["numbers"][suspect], seen["recount"][suspect], what=f"the number of {suspect}"
        )
    expect.equal(report["cause"], cause, what="the cause")
    expect.equal(report["place"], place, what="the place")
    before = list(SUSPECTS if cause is None else SUSPECTS[: SUSPECTS.index(cause)])
    expect.equal(report["rejected"], before, what="the suspects that are rejected")
    return seen


def _failed(draw, *kinds, **more):
    """Return a step of a small model with norm and dropout, and the names of its modules."""
    kinds = [["linear", {}], *kinds, ["dropout", {}], ["linear", {"boxed": True}]]
    case, plan = _case(draw, kinds, **more)
    y = np.abs(draw.normal((3, 4))) + 0.5
    return {"y": y.astype(F32), "loss": "mse", **case}, plan


@check("8.5.q", **ROW, level="pass")
def test_cause_of_a_step(student, draw, expect):
    """The cause is the first suspect with a number, and its place is named."""
    case, plan = _failed(draw, ["norm", {}])
    case["x"][draw.integer(0, 2), draw.integer(0, 3)] = draw.choice([NAN, INF])
    _mortem(student, expect, case, "input", "x")
    case, plan = _failed(draw, ["tanh", {}])
    name = f"{plan[-1]}.inner.bias"
    case["spoiled"] = [[name, [draw.integer(0, 3)], draw.choice([NAN, INF])]]
    _mortem(student, expect, case, "weights", name)
    place = _place(draw, 3, 4)
    case, plan = _failed(draw, ["spoil", {"entries": [[place, draw.choice([NAN, INF])]]}])
    _mortem(student, expect, case, "forward", plan[1])


@check("8.5.q", **ROW, level="strong")
def test_suspects_are_rejected_by_their_number(student, draw, expect):
    """A fault in the loss or in the backward alone clears every suspect before it."""
    case, _ = _failed(draw, ["norm", {}], loss="log")
    case["y"][draw.integer(0, 2), draw.integer(0, 3)] *= -1
    _mortem(student, expect, case, "loss", "loss")
    case, plan = _failed(draw, ["tanh", {}], loss="root")
    case["frozen"] = [f"{plan[0]}.bias"]
    _mortem(student, expect, case, "backward", "SqrtBackward0")
    case, _ = _failed(draw, ["norm", {}])
    _mortem(student, expect, case, None, "")


@check("8.5.q", **ROW, level="pass")
def test_buffers_are_suspects(student, draw, expect):
    """The running statistics of a norm are looked at, after the parameters."""
    case, plan = _failed(draw, ["norm", {}], train=False)
    name = f"{plan[1]}.running_var"
    case["spoiled"] = [[name, [draw.integer(0, 3)], draw.choice([NAN, INF])]]
    _mortem(student, expect, case, "weights", name)


@check("8.5.q", **ROW, level="pass")
def test_step_left_as_it_was(student, draw, expect):
    """Gradients, running statistics, RNG and hooks are what they were before."""
    spoil = ["spoil", {"entries": [[[0, 0], NAN]]}]
    for middle, loss, cause in ((["norm", {}], "mse", None), (spoil, "mse", "forward")):
        case, plan = _failed(draw, ["norm", {}], middle, loss=loss)
        seen = _mortem(student, expect, case, cause, plan[2] if cause else "")
        expect.that(seen["gradients"] is True, "The gradients are not what they were.")
        expect.that(seen["buffers"] is True, "The running statistics are not what they were.")
        expect.that(seen["mode"] is True, "The model's mode was changed.")
        expect.that(seen["rng"] is True, "The RNG is not where it was.")
        expect.equal(seen["hooks"], 0, what="hooks that were left on the model")
