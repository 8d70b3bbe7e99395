"""Hidden checks of first_bad_forward (8.5.h): a bad value at a drawn place of a forward."""

from __future__ import annotations

import numpy as np

from grader.checks import check
from grader.checks.watched import watched

from .asked import BAD, F16, F32, INF, NAN, ROW
from .layered import case_of, place_in


def _forward(student, expect, case, left=True):
    """Search the forward of a case; the model must be left as it was found."""
    seen = watched(student, expect, "forward_find", case)
    if left:
        raised = seen["raised"]
        expect.that(raised is None, "The search raised an error.", raised)
        expect.equal(seen["hooks"], 0, what="hooks that were left on the model")
        expect.equal(len(seen["runs"]), 1, what="how often the model was run")
        expect.equal(seen["runs"], [False], what="whether gradients were recorded in that run")
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


@check("8.5.h", **ROW, level="pass")
def test_fault_at_a_random_layer(student, draw, expect):
    """The leaf module that gave out the first bad value is named, wherever it is."""
    for kind, value in BAD:
        where = draw.integer(1, 4)
        place = place_in(draw, 3, 4)
        boxed = {"boxed": draw.choice([True, False])}
        kinds = [["linear", {"boxed": draw.choice([True, False])}] for _ in range(6)]
        kinds[where] = ["spoil", {"entries": [[place, value]], **boxed}]
        kinds[where + 1] = ["relu", {}]
        kinds.append(["spoil", {"entries": [[[0, 0], draw.choice([NAN, INF])]]}])
        case, plan = case_of(draw, kinds)
        name = f"{plan[where]}.inner" if boxed["boxed"] else plan[where]
        find = _forward(student, expect, case)["find"]
        truth = {"module": name, "index": place, "kind": kind, "output": 0, "call": 0, "born": True}
        _held(expect, find, truth)


@check("8.5.h", **ROW, level="pass")
def test_the_infinity_before_the_nan(student, draw, expect):
    """A float16 output that is just too large is found where it is made, not where it is NaN."""
    case, plan = case_of(draw, [["identity", {}], ["wide linear", {}], ["softmax", {}]], half=True)
    case["x"] = np.ones((3, 4), F16)
    find = _forward(student, expect, case)["find"]
    _held(expect, find, {"module": plan[1], "kind": "+inf", "index": [0, 0], "born": True})
    # one that the next module makes finite, in the same memory
    place = place_in(draw, 3, 4)
    spoil = ["spoil", {"entries": [[place, INF]]}]
    case, plan = case_of(draw, [["linear", {}], spoil, ["hardtanh in place", {}]])
    find = _forward(student, expect, case)["find"]
    _held(expect, find, {"module": plan[1], "kind": "+inf", "index": place, "born": True})


@check("8.5.h", **ROW, level="pass")
def test_tensors_inside_an_output(student, draw, expect):
    """Outputs that are lists, tuples and dicts are gone through in order."""
    for shape in draw.shuffled(["tuple", "list", "dict"]):
        bad, place = draw.integer(0, 2), place_in(draw, 3, 4)
        options = {"shape": shape, "bad": bad, "entries": [[place, draw.choice([NAN, INF])]]}
        case, plan = case_of(draw, [["linear", {}], ["split", options], ["join", {}]])
        find = _forward(student, expect, case)["find"]
        # a tensor of whole numbers, which is never bad, comes first
        truth = {"module": plan[1], "output": bad + 1, "index": place, "born": True}
        _held(expect, find, truth)


@check("8.5.h", **ROW, level="pass")
def test_first_entry_however_it_lies(student, draw, expect):
    """Of several bad entries the one with the smallest index counts, also in a transposed view."""
    first, second, third = draw.shuffled(BAD)
    entries = [[[0, 2], first[1]], [[1, 0], second[1]], [[2, 1], third[1]]]
    case, plan = case_of(draw, [["tanh", {}], ["columns", {"entries": entries}], ["linear", {}]])
    find = _forward(student, expect, case)["find"]
    _held(expect, find, {"module": plan[1], "index": [0, 2], "kind": first[0]})
    # the mean of numbers whose sum does not fit has no dimensions
    case, plan = case_of(draw, [["full", {"value": 3e38}], ["mean", {}]])
    find = _forward(student, expect, case)["find"]
    _held(expect, find, {"module": plan[1], "index": [], "kind": "+inf", "born": True})


@check("8.5.h", **ROW, level="pass")
def test_allowed_masks_of_a_model(student, draw, expect):
    """A module that masks may give out -inf if it is allowed to, and nothing else that is bad."""
    case, plan = case_of(draw, [["linear", {}], ["mask", {}], ["softmax", {}]])
    case["x"] = draw.normal((4, 4))
    _held(expect, _forward(student, expect, {**case, "allow": [[plan[1]]]})["find"], None)
    _held(expect, _forward(student, expect, {**case, "allow": [[plan[1], "other"]]})["find"], None)
    truth = {"module": plan[1], "index": [0, 1], "kind": "-inf"}
    for allow in ([], [[]], [[plan[2]]]):
        _held(expect, _forward(student, expect, {**case, "allow": allow})["find"], truth)
    place = [3, draw.integer(0, 3)]
    for kind, value in BAD[:2]:
        spoil = ["spoil", {"entries": [[place, value], [[0, 3], -INF]]}]
        case, plan = case_of(draw, [["linear", {}], spoil, ["softmax", {}]])
        case |= {"x": draw.normal((4, 4)), "allow": [[plan[1]]]}
        truth = {"module": plan[1], "index": place, "kind": kind}
        _held(expect, _forward(student, expect, case)["find"], truth)


@check("8.5.h", **ROW, level="strong")
def test_cause_or_victim(student, draw, expect):
    """A module that was given a bad value is told from one that made it."""
    for kind in ("between", "gather"):
        case, plan = case_of(draw, [["linear", {}], [kind, {}], ["linear", {}]])
        find = _forward(student, expect, case)["find"]
        _held(expect, find, {"module": f"{plan[1]}.inner", "born": False})
    for kinds in ([["linear", {}], ["relu", {}]], [["relu in place", {}], ["linear", {}]]):
        case, plan = case_of(draw, kinds, form=draw.choice(["tensor", "tuple", "dict"]))
        case["x"][draw.integer(0, 2), draw.integer(0, 3)] = draw.choice([NAN, INF])
        find = _forward(student, expect, case)["find"]
        _held(expect, find, {"module": plan[0], "born": False})
    # -inf that a mask may give out is bad for a module that is given nothing else
    row = draw.integer(0, 2)
    mask = ["spoil", {"entries": [[[row, column], -INF] for column in range(4)]}]
    case, plan = case_of(draw, [["linear", {}], mask, ["softmax", {}]])
    find = _forward(student, expect, {**case, "allow": [[plan[1]]]})["find"]
    _held(expect, find, {"module": plan[2], "index": [row, 0], "kind": "nan", "born": False})
    # what a module repairs is no find, though it was given something bad
    case, _ = case_of(draw, [["hardtanh in place", {}], ["linear", {}]])
    case["x"][draw.integer(0, 2), draw.integer(0, 3)] = draw.choice([-INF, INF])
    _held(expect, _forward(student, expect, case)["find"], None)


@check("8.5.h", **ROW, level="pass")
def test_one_of_several_calls(student, draw, expect):
    """For a module that is used several times the find says which call it was."""
    call, place = draw.integer(1, 2), place_in(draw, 3, 4)
    spoil = ["spoil", {"entries": [[place, NAN]], "call": call}]
    modules = [["again", *spoil], ["line", "linear", {}]]
    case = {"modules": modules, "plan": ["again", "line", "again", "line", "again", "line"]}
    truth = {"module": "again", "call": call, "index": place}
    case["x"] = draw.normal((3, 4))
    _held(expect, _forward(student, expect, case)["find"], truth)
    # the same module under two names goes by the first
    case |= {"alias": {"twin": "again"}, "plan": ["again", "line", "twin", "line", "again"]}
    _held(expect, _forward(student, expect, case)["find"], truth)


@check("8.5.h", **ROW, level="strong")
def test_born_in_that_call(student, draw, expect):
    """Whether a value was born is told by what went into that call, not into another one."""
    row, place = draw.integer(0, 2), place_in(draw, 3, 4)
    x = draw.normal((3, 4))
    # fine at its first call, at its second a row of -inf that a mask was allowed to make
    entries = [[[row, column], -INF] for column in range(4)]
    modules = [["again", "softmax", {}], ["mask", "spoil", {"entries": entries}]]
    case = {"modules": modules, "plan": ["again", "mask", "again"], "allow": [["mask"]], "x": x}
    truth = {"module": "again", "call": 1, "index": [row, 0], "kind": "nan", "born": False}
    _held(expect, _forward(student, expect, case)["find"], truth)
    # given -inf at its first call, which it may hand on; at its second it makes a NaN itself
    spoil = ["spoil", {"entries": [[place, NAN]], "call": 1}]
    modules = [["again", *spoil], ["clip", "hardtanh in place", {}]]
    case = {"modules": modules, "plan": ["again", "clip", "again"], "allow": [["again"]]}
    masked = x.copy()
    masked[tuple(place_in(draw, 3, 4))] = -INF
    truth = {"module": "again", "call": 1, "index": place, "kind": "nan", "born": True}
    _held(expect, _forward(student, expect, {**case, "x": masked})["find"], truth)


@check("8.5.h", **ROW, level="pass")
def test_model_left_as_it_was(student, draw, expect):
    """Mode, running statistics and the RNG are what they were, in training and in evaluation."""
    place = place_in(draw, 3, 4)
    for train in (True, False):
        kinds = [["linear", {}], ["norm", {}], ["dropout", {}], ["ticks", {}], ["norm", {}]]
        for last in (["linear", {}], ["spoil", {"entries": [[place, INF]]}]):
            case, plan = case_of(draw, [*kinds, last], train=train, own_hook="quiet")
            case["evaluated"] = [plan[4]]  # a frozen norm
            seen = _forward(student, expect, case)
            expect.equal(seen["own_hooks"], 2, what="hooks of the model's owner, which must stay,")
            expect.that(seen["mode"] is True, "The mode of the model, or of a module, was changed.")
            expect.that(seen["buffers"] is True, "Running statistics or another buffer changed.")
            expect.that(seen["rng"] is True, "The RNG is not where it was.")
    # in evaluation a dropout does nothing: what is found shows which mode the model ran in
    _held(expect, seen["find"], {"index": place, "kind": "+inf"})


@check("8.5.h", **ROW, level="pass")
def test_model_that_raises(student, draw, expect):
    """A model that raises leaves no hook; a bad value before the error is reported all the same."""
    case, _ = case_of(draw, [["linear", {}], ["norm", {}], ["fail", {}]])
    seen = _forward(student, expect, case, left=False)
    expect.equal(seen["raised"], ["RuntimeError", "the model itself fails"], what="the error")
    expect.equal(seen["hooks"], 0, what="hooks that were left on a model that raised")
    expect.that(seen["rng"] is True, "The RNG is not where it was after a model raised.")
    expect.that(seen["buffers"] is True, "The running statistics were changed by a failed forward.")
    case, _ = case_of(draw, [["linear", {}], ["norm", {}]], own_hook="raises")
    seen = _forward(student, expect, case, left=False)
    expect.equal(seen["raised"], ["LookupError", "the hook itself fails"], what="a hook's error")
    left = [seen["hooks"], seen["own_hooks"]]
    expect.equal(left, [0, 2], what="hooks left after a hook raised: of the search, of the owner")
    case, plan = case_of(draw, [["spoil", {"entries": [[[1, 1], NAN]]}], ["fail", {}]])
    seen = _forward(student, expect, case)
    _held(expect, seen["find"], {"module": plan[0], "index": [1, 1]})


@check("8.5.h", **ROW, level="pass")
def test_models_without_a_fault(student, draw, expect):
    """Huge but finite values are no find, and a model without children is its own leaf."""
    case, _ = case_of(
        draw, [["identity", {}], ["full", {"value": 60000.0}], ["tanh", {}]], half=True
    )
    case["x"] = np.ones((5, 4), F16)
    _held(expect, _forward(student, expect, case)["find"], None)
    # beyond float32
    case, _ = case_of(draw, [["identity", {}], ["full", {"value": -1e300}], ["tanh", {}]])
    case["x"] = np.ones((5, 4))
    _held(expect, _forward(student, expect, case)["find"], None)
    for form in ("tensor", "tuple", "dict"):
        case, _ = case_of(draw, [["linear", {}], ["relu in place", {}], ["split", {
            "shape": "dict", "bad": 9, "entries": []}], ["join", {}]], form=form)  # fmt: skip
        _held(expect, _forward(student, expect, case)["find"], None)
    case, plan = case_of(draw, [["spoil", {"entries": [[[2, 3], -INF]]}]])
    find = _forward(student, expect, {**case, "leaf": plan[0]})["find"]
    _held(expect, find, {"module": "", "index": [2, 3], "kind": "-inf"})
    empty = {**case, "modules": [["line", "linear", {}]], "plan": ["line"]}
    _held(expect, _forward(student, expect, {**empty, "x": np.zeros((0, 4), F32)})["find"], None)
