"""Hidden checks of unit 8.4, training: the scaler against torch's, updates, and bytes alive."""

from __future__ import annotations

import math

import numpy as np

from grader.checks import check


def _call(student, expect, function, calls):
    """Return the answers to some calls of the NumPy stage; none may change its arguments."""
    wanted = [[list(arguments), dict(named)] for arguments, named in calls]
    answers = student.run("calls", {"function": function, "calls": wanted})
    whole = isinstance(answers, list) and len(answers) == len(calls)
    expect.that(whole and all(isinstance(a, dict) for a in answers), f"{function} did not answer.")
    for answer in answers:
        expect.that(answer.get("kept") is True, f"{function} changed its arguments.")
    return answers


def _refused(student, expect, function, cases, error="ValueError"):
    """Expect each call to raise; `cases` are ``{why: (arguments, named)}``."""
    answers = _call(student, expect, function, list(cases.values()))
    for why, answer in zip(cases, answers, strict=True):
        raised = answer.get("raised") or []
        seen = None if error in raised else raised[0] if raised else answer.get("value")
        expect.that(error in raised, f"{function} must raise {error} for {why}.", seen)


def _numbers(expect, value, shape, what):
    """Return a value as a float64 array, after a look at its kind and shape."""
    try:
        got = np.asarray(value)
        got = got.astype(np.float64) if got.dtype.kind in "iuf" or not got.size else None
    except (TypeError, ValueError):
        got = None
    if got is None:
        expect.unmet(f"{what} must be numbers.", got=value)
    expect.equal(list(got.shape), list(shape), what=f"shape of {what}")
    return got


# 8.4.g LossScaler

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
            value = seen[name]
            fine = not isinstance(value, bool) and isinstance(value, int | float | np.number)
            expect.that(fine, f"The attribute {name} must be a number.", value)
    return log[1:]


def _fine(expect, log, calls="calls"):
    for seen in log:
        raised = seen.get("raised")
        told = raised and f"{raised[0]}: {seen.get('message')}"
        expect.that(not raised, f"None of these {calls} may raise.", told)


def _applied(expect, seen, shapes, what):
    """Return the arrays that one call applied, after a look at how often and how many."""
    expect.equal(len(seen["applied"]), 1, what=f"times that {what} were applied")
    arrays = seen["applied"][0]
    fine = isinstance(arrays, list | tuple) and len(arrays) == len(shapes)
    expect.that(fine, f"{len(shapes)} arrays must be applied as a list: {what}.", arrays)
    return [
        _numbers(expect, array, shape, f"{what} as applied")
        for array, shape in zip(arrays, shapes, strict=True)
    ]


def _raises(expect, seen, error, why):
    raised = seen.get("raised") or []
    got = None if error in raised else raised[0] if raised else seen.get("value")
    expect.that(error in raised, f"A scaler must raise {error} {why}.", got)


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
    ]
    log = _drive(student, expect, {"init_scale": 1024.0, "growth_interval": 100}, script)
    _fine(expect, [log[i] for i in (0, 1, 4, 6, 8, 9, 11)])
    (got,) = _applied(expect, log[1], [(2,)], "clipped gradients")
    expect.equal(got, clipped[0].astype(np.float64), what="the clipped gradients as applied")
    _raises(expect, log[2], "RuntimeError", "for a second step before update")
    expect.equal(len(log[2]["applied"]), 0, what="times that a second step was applied")
    _raises(expect, log[3], "RuntimeError", "for unscale after step")
    _raises(expect, log[5], "RuntimeError", "for update when nothing was looked at since the last")
    _raises(expect, log[7], "RuntimeError", "for a second unscale")
    _raises(expect, log[10], "RuntimeError", "for unscale after step")
    trackers = [log[i]["growth_tracker"] for i in (4, 5, 8, 11)]
    expect.equal(
        trackers, [1, 1, 2, 3], what="growth tracker: only iterations count, errors do not"
    )


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
    _fine(expect, log[:-1], "calls above the floor")
    _raises(expect, log[-1], "FloatingPointError", "when the scale falls below its floor")
    expect.equal(log[-1]["scale"], floor / 2, what="the scale that was given up at")
    log = _drive(student, expect, {}, script[:10] + [["step", _bad(draw)], ["update"]] * 30)
    _fine(expect, log)
    expect.equal(
        log[-1]["scale"], 65536 * 2.0**-35, what="scale after 35 overflows without a floor"
    )


@check("8.4.g", row="fault_repair", level="pass")
def test_scaler_resumes_with_its_count(student, draw, expect):
    """A scaler that was saved and loaded goes on as if nothing had happened."""
    interval = draw.integer(3, 6)
    before, after = [True, *([False] * (interval - 1))], [False] * (interval + 1)
    options = {"init_scale": 4096.0, "growth_interval": interval}
    script = [*_iterations(draw, before), ["resume"], *_iterations(draw, after)]
    log = _drive(student, expect, options, script)
    _fine(expect, log)
    place = 2 * len(before)
    expect.keys(log[place]["value"], ["scale", "growth_tracker"], what="the state")
    want = _walk(before + after, 4096.0, 2.0, 0.5, interval)
    expect.equal(_trace(log, script), want, what="[scale, growth tracker], resumed in between")


@check("8.4.g", row="fault_repair", level="pass")
def test_scaler_defaults_and_settings(student, expect):
    """The defaults are torch's; settings that cannot work are refused."""
    log = _drive(student, expect, {}, [["scale_loss", 1.0], ["step", GOOD], ["update"]])
    _fine(expect, log)
    expect.equal([log[0]["scale"], log[0]["growth_tracker"]], [65536.0, 0], what="a new scaler")
    script = [["step", GOOD], ["update"]] * 2000
    log = _drive(student, expect, {}, script)
    got = [log[3997]["scale"], log[3999]["scale"]]
    expect.equal(got, [65536.0, 131072.0], what="scale after 1999 and 2000 good iterations")
    for why, options in {
        "a scale of 0": {"init_scale": 0.0},
        "an infinite scale": {"init_scale": math.inf},
        "a scale that is NaN": {"init_scale": math.nan},
        "a growth factor of 1": {"growth_factor": 1.0},
        "a backoff factor of 1": {"backoff_factor": 1.0},
        "a backoff factor of 0": {"backoff_factor": 0.0},
        "a growth interval of 0": {"growth_interval": 0},
    }.items():
        (made,) = student.run("scaler_script", {"options": options, "script": []})
        refused = "ValueError" in (made.get("raised") or [])
        expect.that(refused, f"LossScaler must raise ValueError for {why}.")


# 8.4.h sgd_master

KEYS = ("master", "weights", "plain", "lost")


def _trained(student, expect, weights, gradients, lr, *fmt, shape=None):
    (answer,) = _call(student, expect, "sgd_master", [((weights, gradients, lr, *fmt), {})])
    raised = answer.get("raised")
    told = raised and f"{raised[0]}: {answer.get('message')}"
    expect.that(not raised, "sgd_master must not raise here.", told)
    value = answer["value"]
    expect.keys(value, KEYS, what="the result")
    shape = np.shape(weights) if shape is None else shape
    arrays = {name: _numbers(expect, value[name], shape, name) for name in KEYS[:3]}
    return arrays | {"lost": value["lost"]}


@check("8.4.h", row="optimization_validity", level="pass")
def test_a_thousand_small_updates(student, draw, expect):
    """Updates under half the spacing never move a bfloat16 weight; the master copy takes them."""
    steps, change = 1000, 2.0**-10
    start = np.array([1.0, draw.choice([1.5, 1.25]), 2.0**-6], dtype=np.float32)
    gradients = [np.full(3, -1.0, dtype=np.float32)] * steps
    got = _trained(student, expect, start, gradients, change)
    # every sum is a multiple of 2**-10 below 4: exact in float32
    master = start.astype(np.float64) + steps * change
    expect.equal(got["master"], master, what="the master copy")
    expect.equal(got["plain"][:2], start[:2].astype(np.float64), what="weights without master copy")
    # the third grows until half the spacing is the update (a tie, to even): 0.25
    expect.equal(got["plain"][2], 0.25, what="a small weight that grows until updates are lost")
    walked = int((0.25 - 2.0**-6) / change)
    expect.equal(got["lost"], 2 * steps + steps - walked, what="number of lost updates")
    spacing = 2.0 ** (np.floor(np.log2(master)) - 7)
    gap = np.abs(got["weights"] - got["master"])
    expect.that(
        bool((gap <= spacing / 2).all()),
        "The weights are not the master copy rounded.",
        got["weights"],
    )


def _grid(draw, shape, steps):
    """Return weights and gradients that are multiples of a power of two, some gradients 0."""
    weights = draw.rng.integers(-512, 512, shape).astype(np.float32) * np.float32(2.0**-7)
    gradients = [
        draw.rng.integers(-600, 601, shape).astype(np.float32) * (draw.rng.random(shape) < 0.8)
        for _ in range(steps)
    ]
    return weights, [g.astype(np.float32) for g in gradients]


@check("8.4.h", row="optimization_validity", level="strong")
def test_updates_as_torch_makes_them(student, reference, draw, expect):
    """Weights with and without master copy, and lost updates, are those of a loop in torch."""
    for dtype, fmt in (("bfloat16", (8, 7)), ("float16", (5, 10))):
        shape = (draw.integer(2, 4), draw.integer(2, 4))
        weights, gradients = _grid(draw, shape, 30)
        lr = 2.0 ** -draw.integer(12, 14)
        case = {"weights": weights, "gradients": gradients, "lr": lr, "dtype": dtype}
        want = reference.run("torch_low_precision_sgd", case, stage="torch")
        got = _trained(student, expect, weights, gradients, lr, *fmt)
        for name in KEYS[:3]:
            expect.equal(
                got[name],
                np.asarray(want[name], dtype=np.float64),
                what=f"{name} after 30 steps in {dtype}",
            )
        expect.equal(got["lost"], want["lost"], what=f"lost updates in {dtype}")


@check("8.4.h", row="optimization_validity", level="pass")
def test_master_copy_is_float32(student, draw, expect):
    """The master copy is float32 also for float16 weights, and starts unrounded."""
    steps = 64
    gradients = [np.ones(2, dtype=np.float32)] * steps
    start = np.array([1.0, 3.0])
    for dtype in (np.float16, np.float64):
        got = _trained(student, expect, start.astype(dtype), gradients, 2.0**-13, 5, 10)
        what = f"the master copy of {dtype.__name__} weights"
        expect.equal(got["master"], start - steps * 2.0**-13, what=what)
    # 1 + 2**-9 is no bfloat16: the master copy keeps it, the plain weights do not
    got = _trained(student, expect, np.array([1 + 2.0**-9, 1.0]), [], 0.1)
    expect.equal(got["master"], [1 + 2.0**-9, 1.0], what="the master copy before any step")
    expect.equal(got["plain"], [1.0, 1.0], what="plain weights before any step")
    expect.equal(
        [got["weights"][0], got["lost"]], [1.0, 0], what="weight and lost updates before any step"
    )


@check("8.4.h", row="optimization_validity", level="pass")
def test_shapes_of_gradients(student, draw, expect):
    """Views, lists, single weights and empty ones are fine; a gradient of another shape is not."""
    rows = np.array([[1.0, 2.0, 4.0], [8.0, 16.0, 32.0]], dtype=np.float32)
    given = {"layout": "transposed", "data": rows}
    got = _trained(student, expect, given, [rows, rows], 0.5, shape=(2, 3))
    expect.equal(got["master"], np.zeros((2, 3)), what="the master copy of a transposed view")
    got = _trained(student, expect, [4.0, 8.0], [[2.0, 2.0]], 1.0)
    expect.equal(got["master"], [2.0, 6.0], what="the master copy of a list")
    got = _trained(student, expect, np.zeros((0, 2)), [np.zeros((0, 2))], 1.0)
    expect.equal(got["lost"], 0, what="lost updates of no weights")
    got = _trained(student, expect, np.ones(2), [np.zeros(2)] * 3, 1.0)
    expect.equal(got["lost"], 0, what="lost updates of gradients that are 0")
    cases = {
        "a gradient that would be broadcast": ((rows, [np.ones(3)], 0.1), {}),
        "a gradient of one number": ((rows, [np.ones(())], 0.1), {}),
        "a second gradient with an axis too many": (
            (np.ones(3), [np.ones(3), np.ones((1, 3))], 0.1),
            {},
        ),
        "a format without mantissa": ((np.ones(3), [], 0.1, 8, 0), {}),
    }
    _refused(student, expect, "sgd_master", cases)


# 8.4.i autocast_forward_bytes

TERMS = ("input_copy", "weight_copies", "activations", "log_probabilities", "loss")


def _kept(student, expect, widths, batch):
    (answer,) = _call(student, expect, "autocast_forward_bytes", [((widths, batch), {})])
    raised = answer.get("raised")
    expect.that(not raised, "autocast_forward_bytes must not raise here.", raised and raised[0])
    expect.keys(answer["value"], ["fp32", "bf16", "terms", "break_even"], what="the result")
    expect.keys(answer["value"]["terms"], TERMS, what="terms")
    value = answer["value"]
    for name, number in [(n, value[n]) for n in ("fp32", "bf16")] + list(value["terms"].items()):
        expect.that(_is_number(number), f"{name} must be a number of bytes.", number)
    return value


def _is_number(value):
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


@check("8.4.i", row="prediction", level="strong")
def test_live_forward(student, reference, draw, expect):
    """For an mlp drawn just now the bytes are what a ledger of live tensors counts."""
    for depth in (draw.integer(3, 5), 2, 1):
        widths = [draw.integer(5, 60) for _ in range(depth)] + [draw.integer(2, 12)]
        if depth == 1:
            widths = [draw.integer(5, 60), draw.integer(2, 12)]
        batch = draw.integer(1, 40)
        case = {"widths": widths, "batch": batch}
        want = reference.run("live_forward", case, stage="torch")
        got = _kept(student, expect, widths, batch)
        for name in ("fp32", "bf16"):
            expect.equal(
                got[name],
                want[name],
                what=f"{name} bytes of an mlp with {len(widths)} widths",
                unit="B",
            )


@check("8.4.i", row="prediction", level="pass")
def test_terms_of_the_forward(student, draw, expect):
    """The terms add up; activations and the input's copy grow with the batch, weights do not."""
    widths = [draw.integer(20, 60) for _ in range(3)] + [draw.integer(2, 9)]
    batch = draw.integer(4, 30)
    got = _kept(student, expect, widths, batch)
    twice = _kept(student, expect, widths, 2 * batch)
    terms = {name: got["terms"][name] for name in TERMS}
    expect.equal(sum(terms.values()), got["bf16"], what="sum of the terms", unit="B")
    growth = {
        "input_copy": 2,
        "weight_copies": 1,
        "activations": 2,
        "log_probabilities": 2,
        "loss": 1,
    }
    for name, factor in growth.items():
        expect.equal(twice["terms"][name], factor * terms[name], what=f"{name} of twice the batch")
    # only the first width is the input's, and no copy of the first weight is kept
    wider = _kept(student, expect, [widths[0] + 3, *widths[1:]], batch)
    for name in TERMS:
        more = 2 * 3 * batch if name == "input_copy" else 0
        expect.equal(
            wider["terms"][name] - terms[name], more, what=f"what 3 more inputs add to {name}"
        )
    expect.equal(terms["input_copy"], 2 * batch * widths[0], what="input_copy", unit="B")
    expect.equal(
        terms["log_probabilities"], 4 * batch * widths[-1], what="log_probabilities", unit="B"
    )


@check("8.4.i", row="prediction", level="pass")
def test_batch_from_which_autocast_pays(student, draw, expect):
    """The batch at which autocast needs fewer bytes is found, or that there is none."""
    drawn = [[draw.integer(3, 20), draw.integer(40, 60), draw.integer(9, 40), 5] for _ in range(4)]
    # where both need the same at a whole batch, that batch does not pay yet
    equal = [10, 20, 3]
    for widths in (*drawn, equal, [10, 30, 40, 10]):
        got = _kept(student, expect, widths, 7)["break_even"]
        batches = range(1, 301)
        calls = [((widths, batch), {}) for batch in batches]
        both = [
            a.get("value") or {} for a in _call(student, expect, "autocast_forward_bytes", calls)
        ]
        for one in both:
            expect.keys(one, ["fp32", "bf16"], what="the result")
            fine = _is_number(one["fp32"]) and _is_number(one["bf16"])
            expect.that(fine, "fp32 and bf16 must be numbers of bytes.")
        cheaper = [n for n, one in zip(batches, both, strict=True) if one["bf16"] < one["fp32"]]
        expect.that(bool(cheaper), f"By fp32 and bf16 no batch pays for {widths}, but one must.")
        first = cheaper[0]
        expect.equal(got, first, what=f"break_even of {widths}")
    for widths in ([30, 10, 20, 5], [30, 20, 10, 5], [12, 4]):
        got = _kept(student, expect, widths, 7)["break_even"]
        expect.that(got is None, f"There is no batch at which autocast pays for {widths}.", got)
    cases = {
        "a single width": (([8], 4), {}),
        "a width of 0": (([8, 0, 3], 4), {}),
        "a batch of 0": (([8, 3], 0), {}),
    }
    _refused(student, expect, "autocast_forward_bytes", cases)
    got = _kept(student, expect, (8, 16, 3), np.int64(4))
    expect.equal(got["fp32"], 4 * 4 * 16 + 4 * 4 * 3 + 8, what="fp32 bytes of a tuple of widths")
