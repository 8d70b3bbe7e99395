"""Hidden checks of LossScaler (8.4.g): scripts of calls, and torch's own scaler."""

from __future__ import annotations

import math

import numpy as np

from grader.checks import check
from grader.checks.arrays import numbers_in
from grader.checks.numbers import is_number

from .asked import must_raise, value_of

GOOD = [np.array([2.0, -1.0], dtype=np.float32)]


def _bad(draw):
    """Return gradients with one entry that is not finite, somewhere."""
    arrays = [np.ones(3, dtype=np.float32), np.ones((2, 2), dtype=np.float32)]
    draw.choice(arrays).reshape(-1)[draw.integer(0, 2)] = draw.choice(
        [math.inf, -math.inf, math.nan]
    )
    return arrays


def _drive(student, expect, options, script):
    """Drive a scaler through a script; return the log without the making of it."""
    log = student.run("scaler_script", {"options": options, "script": script})
    raised = log[0].get("raised")
    expect.that(not raised, "LossScaler must not raise for these settings.", raised and raised[0])
    for call, seen in zip(script, log[1:], strict=True):
        expect.that(seen.get("kept") is True, f"{call[0]} changed its arguments.")
        for name in ("scale", "growth_tracker"):
            fine = is_number(seen[name])
            expect.that(fine, f"The attribute {name} must be a number.", seen[name])
    return log[1:]


def _fine(expect, log):
    for seen in log:
        value_of(expect, seen, "LossScaler")


def _applied(expect, seen, shapes, what):
    """Return the arrays that one call applied, after a look at how often and how many."""
    expect.equal(len(seen["applied"]), 1, what=f"times that {what} were applied")
    arrays = seen["applied"][0]
    fine = isinstance(arrays, list | tuple) and len(arrays) == len(shapes)
    expect.that(fine, f"{len(shapes)} arrays must be applied as a list: {what}.", arrays)
    return [
        numbers_in(expect, array, shape, f"{what} as applied")
        for array, shape in zip(arrays, shapes, strict=True)
    ]


def _walk(bad, init, growth, backoff, interval):
    """Return scale and growth tracker after each iteration, counted by the distance to an event."""
    since, scale, seen = 0, init, []
    for number, wrong in enumerate(bad, 1):
        if wrong:
            scale, since = scale * backoff, number
        elif (number - since) % interval == 0:
            scale, since = scale * growth, number
        seen.append([scale, number - since])
    return seen


def _iterations(draw, bad, *, unscale=False):
    """Return the calls of some iterations, with `unscale` on its own in some of them."""
    script = []
    for wrong in bad:
        gradients = _bad(draw) if wrong else GOOD
        if unscale and draw.choice([True, False]):
            script += [["unscale", gradients], ["step", "what unscale returned"], ["update"]]
        else:
            script += [["step", gradients], ["update"]]
    return script


def _trace(log, script):
    return [
        [seen["scale"], seen["growth_tracker"]]
        for call, seen in zip(script, log, strict=True)
        if call[0] == "update"
    ]


@check("8.4.g", row="fault_repair", level="pass")
def test_scale_after_each_iteration(student, draw, expect):
    """An overflow backs off and starts the count again, and so does growth, at the interval."""
    interval = draw.integer(3, 5)
    # good iterations before the overflow that must not count after it
    bad = [False] * (interval - 1) + [True] + [False] * (2 * interval + 1) + [True, True]
    bad += [False] * draw.integer(interval, 3 * interval)
    options = {"init_scale": 2.0 ** draw.integer(8, 12), "growth_interval": interval}
    script = _iterations(draw, bad, unscale=True)
    log = _drive(student, expect, options, script)
    _fine(expect, log)
    want = _walk(bad, options["init_scale"], 2.0, 0.5, interval)
    for number, (got, true) in enumerate(zip(_trace(log, script), want, strict=True), 1):
        expect.equal(
            got,
            true,
            what=f"[scale, growth tracker] after iteration {number}, with "
            f"overflows in {[i for i, wrong in enumerate(bad, 1) if wrong]} and a growth "
            f"interval of {interval}",
        )


@check("8.4.g", row="fault_repair", level="strong")
def test_scale_as_torch_has_it(student, reference, draw, expect):
    """On random sequences, with any factors, scale and count are those of torch's own scaler."""
    for _ in range(3):
        options = {
            "init_scale": draw.choice([65536.0, 1000.0, 3.0, 2.0**127, 1e38]),
            "growth_factor": draw.choice([2.0, 1.5, 4.0]),
            "backoff_factor": draw.choice([0.5, 0.25, 0.7]),
            "growth_interval": draw.integer(1, 4),
        }
        bad = [bool(x) for x in draw.rng.random(80) < 0.25]
        case = {"options": options, "bad": bad, "value": draw.choice([math.inf, math.nan])}
        want = reference.run("torch_scaler", case, stage="torch")
        script = _iterations(draw, bad)
        log = _drive(student, expect, options, script)
        _fine(expect, log)
        for number, (got, true) in enumerate(zip(_trace(log, script), want, strict=True), 1):
            # the scale is kept as a float32; its last bit may differ by how a product is rounded
            expect.close(
                got,
                true,
                rtol=1e-5,
                what=f"[scale, growth tracker] after {number} "
                "iterations of torch.amp.GradScaler('cpu')",
            )


@check("8.4.g", row="fault_repair", level="strong")
def test_growth_ends_before_infinity(student, draw, expect):
    """Where growth would make the scale infinite it stays, and the count starts again."""
    options = {"init_scale": 2.0**126, "growth_factor": 2.0, "growth_interval": 2}
    script = _iterations(draw, [False] * 7)
    log = _drive(student, expect, options, script)
    _fine(expect, log)
    want = [[2.0**126, 1]] + [[2.0**127, count] for count in (0, 1, 0, 1, 0, 1)]
    expect.equal(_trace(log, script), want, what="[scale, growth tracker] at the upper end")


@check("8.4.g", row="fault_repair", level="pass")
def test_step_is_left_out_after_an_overflow(student, draw, expect):
    """Good gradients are applied once, divided by the scale; bad ones not at all."""
    scale = 2.0 ** draw.integer(6, 10)
    true = [draw.normal((2, 3)), draw.normal((4,))]
    scaled = [true[0] * np.float32(scale), {"layout": "backwards", "data": true[1] * scale}]
    script = [
        ["scale_loss", 0.75],
        ["step", [scaled[0], true[1] * np.float32(scale)]],
        ["update"],
        ["step", _bad(draw)],
        ["update"],
        ["unscale", _bad(draw)],
        ["step", GOOD],
        ["update"],
        ["step", GOOD],
    ]
    log = _drive(student, expect, {"init_scale": scale}, script)
    _fine(expect, log)
    expect.equal(log[0]["value"], 0.75 * scale, what="the scaled loss")
    applied = _applied(expect, log[1], [want.shape for want in true], "good gradients")
    for got, want in zip(applied, true, strict=True):
        # the scale is a power of two: dividing by it is exact
        expect.equal(got, want.astype(np.float64), what="the applied gradients")
    for place, what in ((3, "by step alone"), (6, "after unscale, cleaned or not")):
        expect.equal(len(log[place]["applied"]), 0, what=f"times that bad ones were applied {what}")
    expect.equal(
        [log[i]["value"] for i in (1, 3, 6)], [True, False, False], what="what step returns"
    )
    (fine,) = _applied(expect, log[8], [(2,)], "good gradients after bad ones")
    expect.equal(
        fine, GOOD[0].astype(np.float64) / (scale / 4), what="gradients after two overflows"
    )


@check("8.4.g", row="fault_repair", level="pass")
def test_gradients_are_unscaled_once_and_may_be_clipped(student, draw, expect):
    """After unscale, step takes what it is given; a second unscale, or step, is an error."""
    clipped = [np.array([draw.uniform(0.1, 0.9), 0.25], dtype=np.float32)]
    script = [
        ["unscale", GOOD],
        ["step", clipped],
        ["step", GOOD],
        ["unscale", GOOD],
        ["update"],
        ["update"],
        ["unscale", GOOD],
        ["unscale", GOOD],
        ["update"],
        ["step", GOOD],
        ["unscale", GOOD],
        ["update"],
        ["unscale", GOOD],
        ["step", _bad(draw)],
        ["update"],
    ]
    log = _drive(student, expect, {"init_scale": 1024.0, "growth_interval": 100}, script)
    _fine(expect, [log[i] for i in (0, 1, 4, 6, 8, 9, 11, 12, 13, 14)])
    (got,) = _applied(expect, log[1], [(2,)], "clipped gradients")
    expect.equal(got, clipped[0].astype(np.float64), what="the clipped gradients as applied")
    must_raise(expect, log[2], "RuntimeError", "for a second step before update", "LossScaler")
    expect.equal(len(log[2]["applied"]), 0, what="times that a second step was applied")
    must_raise(expect, log[3], "RuntimeError", "for unscale after step", "LossScaler")
    must_raise(
        expect,
        log[5],
        "RuntimeError",
        "for update when nothing was looked at since the last",
        "LossScaler",
    )
    must_raise(expect, log[7], "RuntimeError", "for a second unscale", "LossScaler")
    must_raise(expect, log[10], "RuntimeError", "for unscale after step", "LossScaler")
    trackers = [log[i]["growth_tracker"] for i in (4, 5, 8, 11)]
    expect.equal(
        trackers, [1, 1, 2, 3], what="growth tracker: only iterations count, errors do not"
    )
    what = "[what step returns, times it applied], for gradients that were finite at unscale alone"
    expect.equal([log[13]["value"], len(log[13]["applied"])], [True, 1], what=what)
    expect.equal(log[14]["growth_tracker"], 4, what="growth tracker after such a step")


@check("8.4.g", row="fault_repair", level="pass")
def test_update_without_a_step(student, draw, expect):
    """An iteration whose step is left out by hand still counts: update goes by unscale."""
    script = [
        ["unscale", _bad(draw)],
        ["update"],
        ["unscale", GOOD],
        ["update"],
        ["step", GOOD],
        ["update"],
    ]
    log = _drive(student, expect, {"init_scale": 64.0, "growth_interval": 2}, script)
    _fine(expect, log)
    want = [[32.0, 0], [32.0, 1], [64.0, 0]]
    expect.equal(_trace(log, script), want, what="[scale, growth tracker] after each update")
    expect.equal(
        [log[i]["value"] for i in (1, 3, 5)], [32.0, 32.0, 64.0], what="what update returns"
    )


@check("8.4.g", row="fault_repair", level="pass")
def test_float16_gradients_are_divided_in_float32(student, draw, expect):
    """Dividing float16 gradients in float16 would lose them again; empty ones are finite."""
    small = np.array([2.0**-14, 3 * 2.0**-14, 1.0], dtype=np.float16)
    empty = [np.zeros((0, 3), dtype=np.float32)]
    script = [
        ["unscale", [small]],
        ["step", "what unscale returned"],
        ["update"],
        ["step", empty],
        ["update"],
        ["unscale", []],
        ["update"],
    ]
    log = _drive(student, expect, {"init_scale": 65536.0}, script)
    _fine(expect, log)
    (got,) = _applied(expect, log[1], [(3,)], "unscaled gradients")
    want = small.astype(np.float64) / 65536
    expect.equal(got, want, what="gradients unscaled from float16")
    trackers = [log[i]["growth_tracker"] for i in (2, 4, 6)]
    expect.equal(trackers, [1, 2, 3], what="growth tracker with empty gradients, which are finite")


@check("8.4.g", row="fault_repair", level="strong")
def test_a_scale_that_falls_for_ever(student, draw, expect):
    """Below the floor the scaler gives up, on the very iteration; without one it never does."""
    floor = 2.0 ** draw.integer(0, 3)
    steps = int(math.log2(65536 / floor))
    script = [call for _ in range(steps + 1) for call in (["step", _bad(draw)], ["update"])]
    log = _drive(student, expect, {"floor": floor}, script)
    _fine(expect, log[:-1])
    must_raise(
        expect, log[-1], "FloatingPointError", "when the scale falls below its floor", "LossScaler"
    )
    expect.equal(log[-1]["scale"], floor / 2, what="the scale that was given up at")
    log = _drive(student, expect, {}, script[:10] + [["step", _bad(draw)], ["update"]] * 30)
    _fine(expect, log)
    expect.equal(
        log[-1]["scale"], 65536 * 2.0**-35, what="scale after 35 overflows without a floor"
    )


@check("8.4.g", row="fault_repair", level="pass")
def test_scaler_resumes_with_its_count(student, draw, expect):
    """A scaler that was saved and loaded goes on as if nothing had happened in between."""
    interval = draw.integer(3, 6)
    before, after = [True, *([False] * (interval - 1))], [False] * (interval + 1)
    options = {"init_scale": 4096.0, "growth_interval": interval}
    script = [
        *_iterations(draw, before),
        ["save"],
        # both numbers are others after these
        *_iterations(draw, [True, False]),
        ["saved"],
        ["load"],
        *_iterations(draw, after),
        ["saved"],
    ]
    log = _drive(student, expect, options, script)
    _fine(expect, log)
    want = _walk(before + after, 4096.0, 2.0, 0.5, interval)
    place = script.index(["save"])
    names = ["scale", "growth_tracker"]
    for number, what in (
        (place, "the state"),
        (place + 5, "the state that was saved, after its scaler went on"),
        (-1, "the state that was loaded, after the scaler that took it over went on"),
    ):
        expect.keys(log[number]["value"], names, what=what)
        state = [log[number]["value"][name] for name in names]
        expect.equal(state, want[len(before) - 1], what=f"[scale, growth tracker] in {what}")
    trace = _trace(log, script)
    del trace[len(before) : len(before) + 2]
    expect.equal(trace, want, what="[scale, growth tracker], resumed in between")


@check("8.4.g", row="fault_repair", level="pass")
def test_scaler_defaults_and_settings(student, expect):
    """The defaults are torch's; settings that cannot work are refused."""
    log = _drive(student, expect, {}, [["scale_loss", 1.0], ["step", GOOD], ["update"]])
    _fine(expect, log)
    expect.equal([log[0]["scale"], log[0]["growth_tracker"]], [65536.0, 0], what="a new scaler")
    log = _drive(student, expect, {}, [["iterate", GOOD, 1999], ["iterate", GOOD, 1]])
    _fine(expect, log)
    got = [seen["scale"] for seen in log]
    expect.equal(got, [65536.0, 131072.0], what="scale after 1999 and 2000 good iterations")
    for why, options in {
        "a scale of 0": {"init_scale": 0.0},
        "a negative scale": {"init_scale": -1024.0},
        "an infinite scale": {"init_scale": math.inf},
        "a scale that is NaN": {"init_scale": math.nan},
        "a growth factor of 1": {"growth_factor": 1.0},
        "a negative growth factor": {"growth_factor": -2.0},
        "a backoff factor of 1": {"backoff_factor": 1.0},
        "a backoff factor of 0": {"backoff_factor": 0.0},
        "a negative backoff factor": {"backoff_factor": -0.5},
        "a growth interval of 0": {"growth_interval": 0},
        "a negative growth interval": {"growth_interval": -2},
    }.items():
        (made,) = student.run("scaler_script", {"options": options, "script": []})
        refused = "ValueError" in (made.get("raised") or [])
        expect.that(refused, f"LossScaler must raise ValueError for {why}.")
