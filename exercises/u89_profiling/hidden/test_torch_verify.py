"""Hidden checks of verify_optimization (8.9.o) on trainers that differ in one thing or in none."""

from __future__ import annotations

import math
from statistics import NormalDist

from grader.checks import check
from grader.checks.numbers import bootstrap_interval_of_the_median
from grader.checks.watched import watched

BATCH = 32
"""Examples in a batch of the probe's trainers, whose two layers have four parameters."""

SPEEDS = {"gain": 1.25, "slower": 0.8, "null": 1.0}


def _times(draw, verdict, count=40):
    """Return paired times that are far from every line, on a machine that drifts."""
    mood = [1e-3 * (1 + index / 10) for index in range(count)]
    ratio = SPEEDS[verdict]
    old = [m * ratio * (1 + 0.004 * draw.uniform(-1, 1)) for m in mood]
    return {"old": old, "new": mood}


def _verify(student, draw, expect, variant, verdict="gain", controls=(("one", True),), **more):
    case = {"variant": variant, **_times(draw, verdict), "controls": [list(c) for c in controls],
            "seed": draw.integer(2, 99), **more}  # fmt: skip
    seen = watched(student, expect, "verified", case)
    report = seen["report"]
    for side, seeds in seen["seeds"].items():
        fine = case["seed"] in seeds
        expect.that(fine, f"No trainer of `{side}` was made with the seed that was asked for.")
    expect.keys(report, ["verdict", "failed", "controls", "speed"], what="the report")
    failed = report["failed"]
    fine = isinstance(failed, list) and all(isinstance(name, str) for name in failed)
    expect.that(fine, "`failed` must be a list of names.", failed)
    return {**report, "controls_run": seen["controls_run"]}


def _rejected(expect, report, part, why):
    expect.equal(report["verdict"], "reject", what=f"verdict on {why}")
    expect.that(part in report["failed"], f"{part} must fail for {why}.", report["failed"])


@check("8.9.o", row="optimization_validity", level="strong")
def test_gain_or_null(student, draw, expect):
    """The same code is a null result, never a gain; sound faster code is a gain."""
    report = _verify(student, draw, expect, "same", "null")
    expect.equal([report["verdict"], report["failed"]], ["null", []], what="the same code twice")
    report = _verify(student, draw, expect, "another order", "gain")
    expect.equal([report["verdict"], report["failed"]], ["gain", []],
                 what="a layer that adds in another order, 1.25 times faster")  # fmt: skip
    speed = report["speed"]
    expect.keys(speed, ["ratio", "low", "high", "verdict"], what="speed")
    expect.between(speed["ratio"], 1.24, 1.26, what="ratio")
    expect.between(speed["low"], 1.2, speed["ratio"], what="low")
    expect.between(speed["high"], speed["ratio"], 1.3, what="high")
    report = _verify(student, draw, expect, "same", "slower")
    expect.equal(report["verdict"], "slower", what="verdict on slower code")


@check("8.9.o", row="optimization_validity", level="strong")
def test_speed_by_the_median_and_its_interval(student, draw, expect):
    """The ratio is the median of the pairs, and its interval decides: few pairs tell nothing."""
    mood = [1e-3 * (1 + draw.uniform(0, 1)) for _ in range(40)]

    def speed(ratios):
        times = {"old": [m * r for m, r in zip(mood, ratios, strict=False)],
                 "new": mood[: len(ratios)]}  # fmt: skip
        report = _verify(student, draw, expect, "same", steps=1, **times)
        expect.equal(report["failed"], [], what="failed parts of the same code")
        keys = ["ratio", "low", "high", "verdict"]
        expect.keys(report["speed"], keys, what="speed")
        expect.equal(report["verdict"], report["speed"]["verdict"], what="verdict of sound code")
        return report["speed"]

    # half of the pairs at 1.10, half at 1.30, some of them far away
    got = speed(draw.shuffled([1.10] * 20 + [1.30] * 14 + [4.0] * 6))
    for key, middle in (("ratio", 1.2), ("low", 1.1), ("high", 1.3)):
        expect.between(got[key], middle - 0.01, middle + 0.01, what=f"{key} of two groups of pairs")
    expect.equal(got["verdict"], "gain", what="verdict, with the whole interval above 1.02")
    got = speed(draw.shuffled([0.8] * 19 + [1.4] * 21))
    expect.equal(got["verdict"], "inconclusive", what="verdict of pairs that do not agree")
    got = speed([1.25] * 19)
    expect.equal(got["verdict"], "inconclusive", what="verdict of 19 pairs")
    got = speed([1.25] * 20)
    expect.equal(got["verdict"], "gain", what="verdict of 20 pairs")
    # one pair more of one ratio than of the other: the interval is from one to the other
    for low, high, verdict in (
        (0.96, 1.04, "null"), (0.94, 1.0, "inconclusive"), (1.0, 1.06, "inconclusive"),
    ):  # fmt: skip
        got = speed(draw.shuffled([low] * 20 + [high] * 19))
        what = f"verdict where the interval is {low} to {high}"
        expect.equal(got["verdict"], verdict, what=what)


@check("8.9.o", row="optimization_validity", level="pass")
def test_speed_with_a_99_percent_interval(student, draw, expect):
    """The interval of the median is as wide as a 99 % bootstrap interval of pairs."""
    count, normal = 301, NormalDist()
    # evenly spread quantiles in random order: noise whose interval does not depend on luck
    spread = draw.shuffled([0.06 * normal.inv_cdf((i + 0.5) / count) for i in range(count)])
    new = [2e-3 * (1 + draw.uniform(0, 1)) for _ in range(count)]
    old = [time * 1.3 * math.exp(noise) for time, noise in zip(new, spread, strict=True)]
    report = _verify(student, draw, expect, "same", steps=1, old=old, new=new)
    got = report["speed"]
    expect.keys(got, ["ratio", "low", "high", "verdict"], what="speed")
    ratios = [a / b for a, b in zip(old, new, strict=True)]
    expect.between(got["low"], 0, got["ratio"], what="low")
    expect.between(got["high"], got["ratio"], 1e9, what="high")
    low, high = bootstrap_interval_of_the_median(ratios, 0.99)
    width = (got["high"] - got["low"]) / (high - low)
    expect.that(width < 1.18, "The interval is wider than a 99 % interval of paired ratios.")
    expect.that(width > 0.86, "The interval is narrower than a 99 % interval of paired ratios.")


@check("8.9.o", row="optimization_validity", level="strong")
def test_sound_code_is_not_rejected(student, draw, expect):
    """Names of a compiled model, dropout and small noise are no reason to reject."""
    for variant, base, what in (
        ("compiled", "same", "a model with the names that torch.compile gives"),
        ("no seeding", "no seeding", "the same code, made without seeding the global RNG"),
        ("descent with noise", "descent", "logits that are off by 3e-5 of the largest"),
    ):
        report = _verify(student, draw, expect, variant, base=base)
        expect.equal([report["verdict"], report["failed"]], ["gain", []], what=what)


@check("8.9.o", row="optimization_validity", level="pass")
def test_nothing_agrees_by_accident(student, draw, expect):
    """NaN agrees with nothing, shapes are not broadcast, and losses are compared like logits."""
    for base in ("same", "NaN"):
        controls = [("one", False), ("two", True)]
        report = _verify(student, draw, expect, "NaN", base=base, controls=controls)
        want = ["outputs", "gradients", "losses", "controls"]
        failed = [part for part in report["failed"] if part != "resume"]
        expect.equal(failed, want, what="failed parts of a trainer with NaN, the resume left out")
        expect.equal(report["controls"], dict(controls), what="controls")
    # no example is special, nor is the first or the last
    example = draw.integer(1, BATCH - 2)
    for variant, why in (
        ("another axis", "logits with one axis more"),
        ("shifted in training", "logits of one example that are shifted in training mode"),
        ("another loss", "a loss with a constant added"),
    ):
        report = _verify(student, draw, expect, variant, example=example)
        _rejected(expect, report, "outputs", why)
        fine = "gradients" not in report["failed"]
        expect.that(fine, f"The gradients are the same for {why}.", report["failed"])
    report = _verify(student, draw, expect, "batches of its own")
    expect.equal([report["verdict"], report["failed"]], ["reject", ["losses"]],
                 what="a trainer whose own batches are others")  # fmt: skip


@check("8.9.o", row="optimization_validity", level="pass")
def test_each_gradient_by_name_and_value(student, draw, expect):
    """One gradient that is off by a thousandth, in one entry, or under another name disagrees."""
    wrong = {
        "one gradient": "one entry of a gradient off by a hundredth of the largest",
        "scaled gradient": "a gradient a thousandth too large",
    }
    # weights and biases of both layers: each kind in one of the weights and in one of the biases
    kinds = draw.shuffled(list(wrong))
    kinds = [*kinds, *reversed(kinds)]
    cases = [(kind, wrong[kind], number) for number, kind in enumerate(kinds)]
    cases.append(("renamed", "a model whose parameters have other names", 0))
    for variant, why, number in draw.shuffled(cases):
        where = {"parameter": number, "entry": draw.integer(0, 9999)}
        report = _verify(student, draw, expect, variant, **where)
        _rejected(expect, report, "gradients", why)
        fine = "outputs" not in report["failed"]
        expect.that(fine, f"The outputs are the same for {why}.", report["failed"])


@check("8.9.o", row="optimization_validity", level="pass")
def test_a_skipped_backward_is_rejected(student, draw, expect):
    """A step that is faster because one layer gets no gradient is rejected."""
    report = _verify(student, draw, expect, "skipped backward")
    _rejected(expect, report, "gradients", "a layer whose backward is skipped")
    fine = "outputs" not in report["failed"]
    expect.that(fine, "The outputs of that step are the same; only its gradients are not.")


@check("8.9.o", row="optimization_validity", level="pass")
def test_changed_outputs_are_rejected(student, draw, expect):
    """Outputs beyond the declared tolerance are rejected; within it they are accepted."""
    report = _verify(student, draw, expect, "coarse outputs")
    _rejected(expect, report, "outputs", "logits rounded to bfloat16")
    report = _verify(student, draw, expect, "coarse outputs", rtol=0.3)
    expect.equal([report["verdict"], report["failed"]], ["gain", []],
                 what="the same logits with a declared tolerance of 0.3")  # fmt: skip


@check("8.9.o", row="optimization_validity", level="pass")
def test_a_step_unlike_its_phases_is_rejected(student, draw, expect):
    """A trainer whose step leaves out updates is rejected, however honest its phases are."""
    report = _verify(student, draw, expect, "skipped updates", steps=3)
    _rejected(expect, report, "losses", "a step that leaves out every second update")
    report = _verify(student, draw, expect, "skipped late updates", steps=4, step=6)
    expect.equal([report["verdict"], report["failed"]], ["reject", ["losses"]],
                 what="a trainer that leaves out the last two updates of eight")  # fmt: skip


@check("8.9.o", row="optimization_validity", level="pass")
def test_each_loss_of_the_run(student, draw, expect):
    """A single loss that differs is seen, wherever it is, and so are two with the same mean."""
    steps, more = draw.integer(2, 3), 0.01 * draw.integer(5, 20)
    first, last = 0, 2 * steps - 1
    for losses, why in draw.shuffled([
        ([[first, more]], "whose first loss differs"),
        ([[last, -more]], "whose last loss differs"),
        ([[steps - 1, more], [steps, -more]], "with two other losses, of the same mean"),
    ]):  # fmt: skip
        report = _verify(student, draw, expect, "other losses", steps=steps, losses=losses)
        expect.equal([report["verdict"], report["failed"]], ["reject", ["losses"]],
                     what=f"a run of {2 * steps} steps {why}")  # fmt: skip


@check("8.9.o", row="optimization_validity", level="pass")
def test_learning_controls_decide(student, draw, expect):
    """A failed control rejects, and a trainer that knows the answers fails the real one."""
    # none is left out, whatever the ones before it gave
    controls = [(draw.name(), True), (draw.name(6), False), (draw.name(7), True)]
    report = _verify(student, draw, expect, "same", "null", controls)
    expect.that(report["controls_run"] >= 3, "Not every control was run.")
    expect.equal(report["controls"], dict(controls), what="controls")
    expect.equal([report["verdict"], report["failed"]], ["reject", ["controls"]],
                 what="a trainer with a failed control")  # fmt: skip
    report = _verify(student, draw, expect, "known answers", shuffled=True)
    expect.equal(report["failed"], ["controls"], what="failed parts of a trainer with a leak")
    expect.equal(report["verdict"], "reject", what="verdict on a trainer with a leak")


@check("8.9.o", row="optimization_validity", level="strong")
def test_a_run_that_does_not_resume_is_rejected(student, draw, expect):
    """Every part of the state is needed: optimizer, RNG, position; and it must load."""
    kinds = {
        "no optimizer state": "a checkpoint with no optimizer state",
        "no RNG state": "a checkpoint with no RNG state",
        "no batch position": "a checkpoint with no batch position",
        "cannot load": "a checkpoint that cannot be loaded",
        "cannot find": "a checkpoint whose loading raises a KeyError",
    }
    for kind in draw.shuffled(list(kinds)):
        report = _verify(student, draw, expect, kind)
        expect.equal([report["verdict"], report["failed"]], ["reject", ["resume"]],
                     what=kinds[kind])  # fmt: skip


@check("8.9.o", row="optimization_validity", level="strong")
def test_resumed_bit_for_bit_in_another_process(student, draw, expect):
    """A resume can differ in a buffer alone, in the last bits of a loss, or in the RNG alone."""
    for kind, what in (
        ("a buffer left behind", "a buffer that is not restored and no loss depends on"),
        ("a count outside the state", "losses that differ by a millionth after the resume"),
        ("RNG kept in the process", "a checkpoint whose loading leaves the RNG as it is"),
    ):
        report = _verify(student, draw, expect, kind)
        expect.equal([report["verdict"], report["failed"]], ["reject", ["resume"]], what=what)


@check("8.9.o", row="optimization_validity", level="pass")
def test_resumed_for_as_many_steps(student, draw, expect):
    """Saved after `steps` steps, and held against the whole run for `steps` more, to the last."""
    steps = draw.integer(3, 4)
    last = 2 * steps - 1
    for kind, step, why in draw.shuffled([
        ("no optimizer state at a step", steps, f"without the optimizer after {steps} steps"),
        ("another loss after loading", steps, "whose first loss after loading differs"),
        ("another loss after loading", last, "whose last loss after loading differs"),
        ("another weight after loading", last, "whose last update after loading differs"),
    ]):  # fmt: skip
        report = _verify(student, draw, expect, kind, steps=steps, step=step)
        expect.equal([report["verdict"], report["failed"]], ["reject", ["resume"]],
                     what=f"a checkpoint {why}")  # fmt: skip
