"""Hidden checks of amp_step (8.4.k): the mixed-precision step against float64, call by call."""

from __future__ import annotations

import math

import numpy as np

from grader.checks import check
from grader.checks.numbers import is_finite

from .asked import absent_devices, must_raise, quietly
from .stepping import ROUNDING, answers, drawn_case, stepped


@check("8.4.k", row="fault_repair", level="pass")
def test_clipped_step_has_its_true_length(student, reference, draw, expect):
    """With SGD a clipped step is as long as the threshold, whatever the loss scale is."""
    for dtype, enabled in (("float16", True), ("bfloat16", False)):
        for scale in (2.0**6, 2.0**12):
            case = drawn_case(
                draw, dtype=dtype, spread=3.0, scaler={"init_scale": scale, "enabled": enabled}
            )
            true = reference.run("plain_step", case)
            case["max_norm"] = true["norm"] * draw.uniform(0.2, 0.6)
            seen = stepped(student, expect, case)
            answers(expect, seen)
            expect.close(
                seen["steps"][0]["update"],
                case["max_norm"],
                rtol=0.01,
                what=f"length of a clipped step in {dtype}, scale {scale:g}",
            )
            case["max_norm"] = true["norm"] * draw.uniform(1.5, 3)
            seen = stepped(student, expect, case)
            answers(expect, seen)
            expect.close(
                seen["steps"][0]["update"],
                true["norm"],
                rtol=ROUNDING,
                what=f"length of a step under the threshold in {dtype}",
            )


@check("8.4.k", row="fault_repair", level="pass")
def test_step_is_that_of_float64(student, reference, draw, expect):
    """Loss, norm and every entry of the step are those of a float64 step, up to rounding."""
    for sizes in ([12], [4, 4, 4]):
        # a forward without gradients before the real one takes nothing away from it, and a device
        # is text or a torch.device
        case = drawn_case(
            draw,
            sizes=sizes,
            stale=3e4,
            dtype=draw.choice(["float16", "bfloat16"]),
            first_without_grad=len(sizes) > 1,
            as_object=len(sizes) > 1,
        )
        true = reference.run("plain_step", case)
        seen = stepped(student, expect, case)
        (value,) = answers(expect, seen)
        what = f"{len(sizes)} micro-batches"
        expect.close(value["loss"], true["loss"], rtol=ROUNDING, what=f"loss over {what}")
        expect.close(value["norm"], true["norm"], rtol=ROUNDING, what=f"norm over {what}")
        step = -np.asarray(seen["steps"][0]["direction"])
        gap = float(np.abs(step - np.asarray(true["gradient"])).max())
        # against the whole gradient: small entries may have lost more of their own size
        fine = gap <= ROUNDING * true["norm"]
        expect.that(
            fine, f"The step over {what} is not the gradient of the mean of their losses.", gap
        )


@check("8.4.k", row="fault_repair", level="strong")
def test_step_left_out_leaves_everything(student, draw, expect):
    """After an overflow weights, optimizer state and learning rate are what they were."""
    for optimizer in (["SGD", {"lr": 0.1, "momentum": 0.9}], ["AdamW", {"lr": 0.01}]):
        value = draw.choice([math.inf, math.nan])
        case = drawn_case(
            draw,
            optimizer=optimizer,
            scheduler=True,
            sizes=[8, 8],
            max_norm=1.0,
            bad=[False, True, True, False],
            bad_place=draw.choice([0, 1]),
            bad_value=value,
        )
        seen = stepped(student, expect, case)
        values, steps = answers(expect, seen), seen["steps"]
        expect.equal(
            [v["stepped"] for v in values],
            [True, False, False, True],
            what="stepped, with overflows in the second and third step",
        )
        for place in (1, 2):
            expect.equal(steps[place]["update"], 0, what="length of a step that was left out")
            expect.that(
                steps[place]["state_kept"],
                "The optimizer's state has changed in a step that was left out.",
            )
            expect.that(
                not is_finite(values[place]["norm"]),
                "norm must not be finite after an overflow.",
                values[place]["norm"],
            )
        rates = [step["rate"][1] / optimizer[1]["lr"] for step in steps]
        expect.close(
            rates,
            [0.5, 0.5, 0.5, 0.25],
            rtol=1e-9,
            what="learning rate after each step, "
            "in units of the first, halved by each step that was taken",
        )
        expect.equal(seen["last_epoch"], 2, what="steps of the scheduler")
        expect.that(steps[3]["update"] > 0, "The step after the overflows was not taken.")


@check("8.4.k", row="fault_repair", level="strong")
def test_scale_is_adjusted_in_every_step(student, draw, expect):
    """The scale is halved by an overflow and grows at the interval; each step reports its own."""
    bad = [False, True, False, False, False]
    # a small rate: five long steps could end in an overflow of their own
    case = drawn_case(
        draw,
        bad=bad,
        scaler={"init_scale": 512.0, "growth_interval": 2},
        optimizer=["SGD", {"lr": 2.0**-6}],
    )
    seen = stepped(student, expect, case)
    values = answers(expect, seen)
    after = [step["scales"][1] for step in seen["steps"]]
    expect.equal(after, [512.0, 256.0, 256.0, 512.0, 512.0], what="scale after each step")
    used = [512.0, 512.0, 256.0, 256.0, 512.0]
    expect.equal([v["scale"] for v in values], used, what="scale that each step was run with")


@check("8.4.k", row="fault_repair", level="pass")
def test_unscaled_once_and_updated_once(student, draw, expect):
    """With three micro-batches: three forwards, then one unscale, one step and one update.

    In a bad step scaler.step may be called or not: either way no step is taken.
    """
    case = drawn_case(draw, sizes=[4, 4, 4], bad=[False, True], max_norm=1.0)
    seen = stepped(student, expect, case)
    answers(expect, seen)
    for step, what in zip(seen["steps"], ("good", "bad"), strict=True):
        calls = step["calls"]
        expect.equal(calls.count("forward"), 3, what=f"forwards of the model in a {what} step")
        for name in ("unscale_", "update"):
            expect.equal(
                calls.count(name), 1, what=f"times that scaler.{name} was called in a {what} step"
            )
        steps = max(calls.count("step"), 1) if what == "bad" else calls.count("step")
        expect.equal(steps, 1, what=f"times that scaler.step was called in a {what} step")
        order = [f"scaler.{name}" for name in calls if name in ("unscale_", "step", "update")]
        want = [f"scaler.{name}" for name in ("unscale_", "step", "update")]
        if "scaler.step" not in order:
            want.remove("scaler.step")
        expect.equal(order, want, what=f"order of the calls in a {what} step")
    expect.equal(seen["hooks"], 1, what="hooks on the optimizer, of which one was there before")


@check("8.4.k", row="fault_repair", level="pass")
def test_where_autocast_is_on(student, draw, expect):
    """Model and loss run inside autocast, the backward does not; weights and loss are float32."""
    for dtype in ("float16", "bfloat16"):
        case = drawn_case(draw, dtype=dtype, sizes=[4, 4], scaler={"enabled": dtype == "float16"})
        seen = stepped(student, expect, case)
        answers(expect, seen)
        forwards = seen["forwards"]
        low = [[on, kind] for part, on, kind in forwards if part == "forward"]
        expect.equal(low, [[True, f"torch.{dtype}"]] * 2, what="[autocast, dtype] of each forward")
        loss = [[on, kind] for part, on, kind in forwards if part == "loss"]
        expect.equal(loss, [[True, "torch.float32"]] * 2, what="[autocast, dtype] of each loss")
        expect.that(not seen["backward_in_autocast"], "A backward ran inside autocast.")
        expect.equal(seen["backwards"], 2, what="number of backwards")
        expect.equal(seen["parameters"], ["torch.float32"], what="dtypes of the parameters")
        step = seen["steps"][0]
        expect.equal(step["grads"], ["torch.float32"], what="dtypes of the gradients")
        expect.that(step["loss_is_tensor"], "loss must be a tensor.")
        expect.that(not step["loss_has_graph"], "loss still holds its graph: detach it.")
        expect.equal(step["loss_dtype"], "torch.float32", what="dtype of loss")


@check("8.4.k", row="fault_repair", level="pass")
def test_disabled_scaler_for_bfloat16(student, reference, draw, expect):
    """With a disabled scaler the same step works in bfloat16, and the scheduler goes on."""
    case = drawn_case(
        draw,
        dtype="bfloat16",
        scheduler=True,
        scaler={"enabled": False},
        bad=[False, False],
        floor=8.0,
    )
    seen = stepped(student, expect, case)
    values = answers(expect, seen)
    expect.equal([v["stepped"] for v in values], [True, True], what="stepped")
    expect.equal([v["scale"] for v in values], [1.0, 1.0], what="scale")
    expect.equal(seen["last_epoch"], 2, what="steps of the scheduler")
    true = reference.run("plain_step", case)
    expect.close(seen["steps"][0]["update"], true["norm"], rtol=ROUNDING, what="length of the step")


@check("8.4.k", row="fault_repair", level="pass")
def test_bad_step_with_a_disabled_scaler(student, draw, expect):
    """A disabled scaler leaves no step out by itself: one that is not finite is left out anyway."""
    case = drawn_case(
        draw,
        dtype="bfloat16",
        optimizer=["AdamW", {"lr": 0.01}],
        scheduler=True,
        sizes=[8, 8],
        max_norm=draw.choice([None, 1.0]),
        scaler={"enabled": False},
        bad=[False, True, False],
        bad_place=draw.choice([0, 1]),
        bad_value=draw.choice([math.inf, math.nan]),
    )
    seen = stepped(student, expect, case)
    values, steps = answers(expect, seen), seen["steps"]
    length = steps[1]["update"]
    expect.that(length == 0, "With a disabled scaler a step that is not finite was taken.", length)
    expect.equal(
        [v["stepped"] for v in values],
        [True, False, True],
        what="stepped, with a disabled scaler and an overflow in the second step",
    )
    kept = steps[1]["state_kept"]
    expect.that(kept, "The optimizer's state has changed in a step that was left out.")
    expect.equal(seen["last_epoch"], 2, what="steps of the scheduler, with a disabled scaler")
    expect.that(steps[2]["update"] > 0, "The step after the overflow was not taken.")


@check("8.4.k", row="fault_repair", level="pass")
def test_scale_under_the_floor(student, draw, expect):
    """A loss that is never finite ends in an error as soon as the scale is under the floor."""
    floor = 2.0 ** draw.integer(3, 6)
    steps = int(math.log2(1024 / floor)) + 1
    case = drawn_case(draw, bad=[True] * steps, floor=floor)
    seen = stepped(student, expect, case)
    for number, step in enumerate(seen["steps"], 1):
        raised = step.get("raised") or []
        if number < steps:
            told = raised and raised[0]
            expect.that(
                not raised,
                "amp_step must not raise before the scale is under its floor.",
                told or None,
            )
        else:
            expect.that(
                "RuntimeError" in raised,
                "amp_step must raise RuntimeError when the scale is under its floor.",
                step["scales"][1],
            )
    expect.equal(seen["steps"][-1]["scales"][1], floor / 2, what="the scale that was given up at")


@check("8.4.k", row="fault_repair", level="pass")
def test_steps_that_are_refused(student, reference, draw, expect):
    """float16 without a scaler, absent devices and the like are refused before any change."""
    absent, other, *_ = absent_devices(reference)
    cases = {
        "for float16 with a disabled scaler": {"scaler": {"enabled": False}},
        f"for autocast on {absent}, which is not here": {"device": absent},
        f"for autocast on a torch.device, {other}": {"device": other, "as_object": True},
        "for float32": {"dtype": "float32"},
        "for float8_e5m2": {"dtype": "float8_e5m2"},
        "without a micro-batch": {"sizes": []},
        "for a max_norm of 0": {"max_norm": 0.0},
        "for a negative max_norm": {"max_norm": -1.0},
        "for a max_norm that is NaN": {"max_norm": math.nan},
    }
    if not reference.run("machine", {})["default_enabled"]:
        cases["for float16 with torch.amp.GradScaler()"] = {"scaler": "default"}
    for why, more in cases.items():
        answer = quietly(student, expect, "refused_step", drawn_case(draw, **more))
        must_raise(expect, answer, "ValueError", why, "amp_step")
        expect.that(not answer["moved"], f"The weights have moved before the refusal {why}.")
        expect.that(answer["gradients_kept"], f"Gradients were dropped before the refusal {why}.")
        expect.equal(answer["calls"], [], what=f"calls before the refusal {why}")
