"""Hidden checks of amp_step (8.4.k): what the optimizer holds, in groups, unused, or very large."""

from __future__ import annotations

import numpy as np

from grader.checks import check
from grader.checks.numbers import is_finite

from .stepping import ROUNDING, answers, drawn_case, stepped


@check("8.4.k", row="fault_repair", level="pass")
def test_norm_of_what_the_optimizer_holds(student, reference, draw, expect):
    """Parameters that the optimizer does not hold are not in the norm: they are still scaled."""
    case = drawn_case(draw, outside=2.0, scaler={"init_scale": 4096.0})
    true = reference.run("plain_step", case)
    case["max_norm"] = 0.5 * true["norm"]
    seen = stepped(student, expect, case)
    (value,) = answers(expect, seen)
    expect.close(
        value["norm"],
        true["norm"],
        rtol=ROUNDING,
        what="norm, with a parameter outside the optimizer",
    )
    expect.close(
        seen["steps"][0]["update"],
        case["max_norm"],
        rtol=0.01,
        what="length of the clipped step, with a parameter outside the optimizer",
    )


@check("8.4.k", row="fault_repair", level="pass")
def test_every_group_is_held(student, reference, draw, expect):
    """Gradients of all groups of the optimizer are in the norm, clipped, and looked at."""
    case = drawn_case(draw, scaler={"init_scale": 4096.0})
    true = reference.run("plain_step", case)
    body, head = np.split(np.asarray(true["gradient"]), [6 * 12 + 12])
    # the group with the longer gradient comes last: without it the norm is too short by 0.29
    last = np.linalg.norm(head) > np.linalg.norm(body)
    case["groups"] = [["body"], ["head"]] if last else [["head"], ["body"]]
    case["max_norm"] = 0.5 * true["norm"]
    seen = stepped(student, expect, case)
    (value,) = answers(expect, seen)
    what = "with two groups of parameters in the optimizer"
    expect.close(value["norm"], true["norm"], rtol=ROUNDING, what=f"norm, {what}")
    length = seen["steps"][0]["update"]
    expect.close(length, case["max_norm"], rtol=0.01, what=f"length of the clipped step, {what}")
    for dtype, enabled in (("float16", True), ("bfloat16", False)):
        case = drawn_case(
            draw,
            dtype=dtype,
            scaler={"init_scale": 256.0, "enabled": enabled},
            groups=[["body", "head"], ["root"]],
            rooted=True,
            scheduler=True,
        )
        seen = stepped(student, expect, case)
        (value,) = answers(expect, seen)
        what = f"with a gradient in {dtype} that is not finite in the second group alone"
        expect.equal(value["stepped"], False, what=f"stepped, {what}")
        expect.equal(seen["steps"][0]["update"], 0, what=f"length of the step, {what}")
        expect.equal(seen["last_epoch"], 0, what=f"steps of the scheduler, {what}")
        expect.that(not is_finite(value["norm"]), f"norm must not be finite {what}.", value["norm"])


@check("8.4.k", row="fault_repair", level="pass")
def test_parameter_without_a_gradient_stays(student, draw, expect):
    """Old gradients are gone, not 0: AdamW does not decay a parameter that got no new one."""
    case = drawn_case(
        draw,
        optimizer=["AdamW", {"lr": 0.01, "weight_decay": 0.1}],
        groups=[["body", "head", "idle"]],
        stale=3.0,
        max_norm=draw.choice([None, 1.0]),
    )
    seen = stepped(student, expect, case)
    (value,) = answers(expect, seen)
    expect.equal(value["stepped"], True, what="stepped, with a parameter that was not used")
    moved = seen["steps"][0]["direction"][-1]
    expect.that(
        moved == 0,
        "A parameter that was not used has moved: it had an old gradient, which must be dropped "
        "(None). With zeros for a gradient AdamW decays it, and moves it by old moments.",
        moved,
    )


@check("8.4.k", row="fault_repair", level="strong")
def test_large_gradients_are_finite(student, reference, draw, expect):
    """A step is left out for gradients that are not finite, not for a norm that has overflowed."""
    for scaler in ({"enabled": False}, {"init_scale": 4.0}):
        # entries around 2**80: their squares are above 2**128, where float32 ends
        case = drawn_case(draw, dtype="bfloat16", scaler=scaler, factor=2.0**80)
        true = reference.run("plain_step", case)
        case["optimizer"] = ["SGD", {"lr": 1 / true["norm"]}]
        seen = stepped(student, expect, case)
        (value,) = answers(expect, seen)
        told = (
            "Gradients around 1e24 are finite, but the step was left out: their squares are not "
            "finite in float32, and no norm in float32 is. Look at the entries, or take the norm "
            "in float64."
        )
        expect.that(bool(value["stepped"]), told, value["norm"])
        expect.close(
            seen["steps"][0]["update"],
            1.0,
            rtol=ROUNDING,
            what="length of a step without clipping, in units of its gradient (its entries are "
            "around 1e24: their norm overflows in float32, and clipping by it spoils them)",
        )
