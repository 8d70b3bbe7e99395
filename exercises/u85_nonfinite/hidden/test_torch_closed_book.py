"""Hidden checks of post_mortem (8.5.q): the cause of a step, and the numbers of all suspects."""

from __future__ import annotations

import numpy as np

from grader.checks import check
from grader.checks.watched import watched

from .asked import F32, INF, NAN, ROW
from .layered import case_of, place_in

SUSPECTS = ("input", "weights", "forward", "loss", "backward")


def _mortem(student, expect, case, cause, place):
    """Expect the cause, the place, and numbers that a second count confirms."""
    seen = watched(student, expect, "mortem", case)
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
    case, plan = case_of(draw, kinds, **more)
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
    place = place_in(draw, 3, 4)
    case, plan = _failed(draw, ["spoil", {"entries": [[place, draw.choice([NAN, INF])]]}])
    _mortem(student, expect, case, "forward", plan[1])


@check("8.5.q", **ROW, level="strong")
def test_suspects_are_rejected_by_their_number(student, draw, expect):
    """A fault in the loss or in the backward alone clears every suspect before it."""
    case, _ = _failed(draw, ["norm", {}], loss="log")
    case["y"][draw.integer(0, 2), draw.integer(0, 3)] *= -1
    _mortem(student, expect, case, "loss", "loss")
    case, _ = _failed(draw, ["tanh", {}])
    case["y"][draw.integer(0, 2), draw.integer(0, 3)] = draw.choice([NAN, INF])
    _mortem(student, expect, case, "loss", "loss")
    case, plan = _failed(draw, ["tanh", {}], loss="root")
    case["frozen"] = [f"{plan[0]}.bias"]
    _mortem(student, expect, case, "backward", "SqrtBackward0")
    case, _ = _failed(draw, ["norm", {}])
    _mortem(student, expect, case, None, "")


@check("8.5.q", **ROW, level="pass")
def test_buffers_are_suspects(student, draw, expect):
    """Buffers are looked at after the parameters, every one of them, and shared ones once."""
    case, plan = _failed(draw, ["norm", {}], train=False)
    name = f"{plan[1]}.running_var"
    case["spoiled"] = [[name, [draw.integer(0, 3)], draw.choice([NAN, INF])]]
    _mortem(student, expect, case, "weights", name)
    case, plan = _failed(draw, ["ticks", {}])
    name = f"{plan[1]}.ticks"
    case["spoiled"] = [[name, [], draw.choice([NAN, INF])]]
    _mortem(student, expect, case, "weights", name)
    case, plan = _failed(draw, ["norm", {}], train=False)
    case |= {"alias": {"twin": plan[1]}, "plan": [*plan, "twin"]}
    names = [f"{plan[1]}.bias", f"{plan[1]}.running_mean"]
    case["spoiled"] = [[name, [draw.integer(0, 3)], NAN] for name in names]
    _mortem(student, expect, case, "weights", names[0])


@check("8.5.q", **ROW, level="pass")
def test_every_call_counts(student, draw, expect):
    """The number of the forward is that of all calls of a module that is used several times."""
    place = place_in(draw, 3, 4)
    spoil = ["spoil", {"entries": [[place, INF]]}]
    case, plan = _failed(draw, spoil, ["hardtanh in place", {}])
    case["plan"] = [*plan, plan[1]]
    _mortem(student, expect, case, "forward", plan[1])


@check("8.5.q", **ROW, level="pass")
def test_step_left_as_it_was(student, draw, expect):
    """Gradients, running statistics, RNG and hooks are what they were before."""
    spoil = ["spoil", {"entries": [[[0, 0], NAN]]}]
    for middle, loss, cause in ((["norm", {}], "mse", None), (spoil, "mse", "forward")):
        case, plan = _failed(draw, ["norm", {}], middle, ["ticks", {}], ["norm", {}], loss=loss)
        case["evaluated"] = [plan[4]]  # a frozen norm
        _as_it_was(expect, _mortem(student, expect, case, cause, plan[2] if cause else ""))


def _as_it_was(expect, seen):
    """Expect the model, its gradients and the RNG to be what they were."""
    expect.that(seen["gradients"] is True, "The gradients are not what they were.")
    expect.that(seen["buffers"] is True, "The buffers are not what they were.")
    expect.that(seen["mode"] is True, "The mode of the model, or of a module, was changed.")
    expect.that(seen["rng"] is True, "The RNG is not where it was.")
    expect.equal(seen["hooks"], 0, what="hooks that were left on the model")


@check("8.5.q", **ROW, level="pass")
def test_loss_that_raises(student, draw, expect):
    """When the step itself raises, the error comes through, and everything is what it was."""
    case, _ = _failed(draw, ["norm", {}], ["ticks", {}], loss="fails")
    seen = watched(student, expect, "mortem", case)
    raised = seen["raised"]
    expect.that(raised == "the loss itself fails", "The error of the loss is lost.", raised)
    _as_it_was(expect, seen)
