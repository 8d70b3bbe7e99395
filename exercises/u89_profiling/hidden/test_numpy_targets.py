"""Hidden checks of amdahl (8.9.f) and rank_targets (8.9.g) against exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

from grader.checks import check
from grader.checks.many import refusals, refused, values_of

BAD = {"NaN": math.nan, "infinite": math.inf, "minus infinity": -math.inf}


@check("8.9.f", row="optimization_validity", level="pass")
def test_amdahl(student, draw, expect):
    """A part that takes 5 % of the step cannot make it more than 1.053 times faster."""
    fraction, speedup = draw.uniform(0.1, 0.9), draw.uniform(1.5, 8.0)
    want = 1 / (1 - fraction * (1 - 1 / speedup))
    for arguments, value in (
        ((fraction, speedup), want),
        ((0.05, math.inf), 1 / 0.95),
        ((0, 100), 1.0),
        ((1, 4), 4.0),
        ((0.5, 0.5), 2 / 3),
        ((1, math.inf), math.inf),
    ):
        found = student.run("calls", {"function": "amdahl", "calls": [[list(arguments), {}]]})
        expect.keys(found[0], ["value"], what=f"the answer to amdahl{arguments}")
        expect.close(found[0]["value"], value, rtol=1e-9, what=f"amdahl{arguments}")
    for bad in ((1.2, 2), (-0.1, 2), (0.5, 0), (math.nan, 2), (0.5, math.nan)):
        refused(student, expect, f"for {bad}", "amdahl", *bad)


@check("8.9.f", row="optimization_validity", level="pass")
def test_amdahl_to_the_ends(student, draw, expect):
    """Nothing, all, nearly all; infinitely fast, unchanged, slower: the speed-up is exact."""
    fractions = [0, 0.0, 1, 1.0, 0.5, 1 - 2.0**-30, 1 - 2.0**-20, 2.0**-30, 1e-300]
    fractions += [draw.uniform(0, 1) for _ in range(6)]
    speedups = [math.inf, 1, 1.0, 2, 1e-3, 0.5, 1e9, 1e30, draw.uniform(0.1, 1), draw.uniform(1, 9)]
    cases = [(pair, {}) for pair in product(fractions, speedups)]
    values = values_of(student, expect, "amdahl", cases)
    for ((fraction, speedup), _), (words, got) in zip(cases, values, strict=True):
        rest = 0 if speedup == math.inf else Fraction(fraction) / Fraction(speedup)
        left = 1 - Fraction(fraction) + rest
        want = float(1 / left) if left else math.inf
        # 1 - f (1 - 1 / s) loses the digits that cancel, some 2e-16 of 1
        lost = 1e-15 * want if math.isfinite(want) else 0
        if lost < 0.01:
            expect.close(got, want, rtol=1e-9 + lost, what=words)
    bad = [*BAD.values(), -2, -0.5, 1.5, -1e-9, 1 + 1e-9, 2]
    refused = [(fraction, speedup) for fraction in bad for speedup in (2, math.inf)]
    for fraction in (0, 0.5, 1):
        refused += [(fraction, s) for s in (math.nan, -math.inf, -2, -0.5, -1e-9, 0, 0.0)]
    refusals(student, expect, "amdahl", [(f"for {pair}", pair, {}) for pair in refused])


def _pairs(expect, got, names):
    """Return the gains by name and the order, after looking at the shape."""
    expect.equal(len(got) if isinstance(got, list) else got, len(names), what="number of pairs")
    for pair in got:
        fine = isinstance(pair, list | tuple) and len(pair) == 2 and isinstance(pair[0], str)
        expect.that(fine, "Each entry must be a pair (name, gain).", None if fine else pair)
    order = [name for name, _ in got]
    expect.equal(sorted(order), sorted(names), what="the names")
    return dict(got), order


@check("8.9.g", row="optimization_validity", level="pass")
def test_the_largest_phase_gains_most(student, draw, expect):
    """Phases that follow one another are worth what Amdahl says, the largest one most."""
    names = draw.shuffled(["data_wait", "forward", "backward", "optimizer"])
    sizes = [draw.integer(2, 9), draw.integer(20, 40), draw.integer(60, 90), draw.integer(120, 200)]
    phases, speedup = dict(zip(names, sizes, strict=True)), draw.uniform(2, 5)
    whole = sum(sizes)
    want = {name: 1 / (1 - size / whole * (1 - 1 / speedup)) for name, size in phases.items()}
    gains, order = _pairs(expect, student.numpy.rank_targets(phases, speedup), names)
    expect.close(gains, want, rtol=1e-9, what="gain of each phase")
    expect.equal(order, names[::-1], what="the order, best first")
    alone, _ = _pairs(expect, student.numpy.rank_targets({"forward": 3}, math.inf), ["forward"])
    expect.equal(alone["forward"], math.inf, what="gain when nothing is left")
    for bad in (({"x": -1}, 2), ({"x": 0}, 2), ({"x": 1}, 0), ({"x": 1}, 2, ["y"])):
        refused(student, expect, f"for {bad}", "rank_targets", *bad)


@check("8.9.g", row="optimization_validity", level="strong")
def test_a_hidden_loader_gains_nothing(student, draw, expect):
    """Work that runs beside the step costs only what sticks out, and gains only that."""
    scale = draw.integer(1, 7)
    phases = {"data_wait": 30 * scale, "forward": 50 * scale, "backward": 100 * scale}
    got, order = _pairs(expect, student.numpy.rank_targets(phases, 2, ["data_wait"]), list(phases))
    want = {"data_wait": 1.0, "forward": 150 / 125, "backward": 150 / 100}
    expect.close(got, want, rtol=1e-9, what="gain of each phase beside a hidden loader")
    expect.equal(order, ["backward", "forward", "data_wait"], what="the order, best first")
    # a loader slower than the step: only the loader is worth it, until it disappears behind it
    slow = {"data_wait": 200 * scale, "forward": 50 * scale, "backward": 100 * scale}
    got, order = _pairs(expect, student.numpy.rank_targets(slow, 2, ["data_wait"]), list(slow))
    want = {"data_wait": 200 / 150, "forward": 1.0, "backward": 1.0}
    expect.close(got, want, rtol=1e-9, what="gain of each phase beside a slow loader")
    expect.equal(order, ["data_wait", "forward", "backward"], what="the order, ties as given")


def _gains(phases, speedup, overlapped):
    """Return the exact gain of each phase, math.inf when no time is left."""
    faster = Fraction(0) if speedup == math.inf else 1 / Fraction(speedup)

    def iteration(changed):
        times = {n: Fraction(t) * (faster if n == changed else 1) for n, t in phases.items()}
        step = sum(t for n, t in times.items() if n not in overlapped)
        return max([step, *(times[n] for n in overlapped)])

    then = {name: iteration(name) for name in phases}
    return {name: iteration(None) / time if time else math.inf for name, time in then.items()}


@check("8.9.g", row="optimization_validity", level="pass")
def test_every_ranking(student, draw, expect):
    """Any phases, several of them hidden, faster or slower: gains and order, ties as given."""
    cases = []
    for speedup in (2, 8, math.inf, 0.5, 0.125, 1, 4.0, 3):
        for count in (1, 2, 3, 4, 5):
            names = draw.shuffled(["data_wait", "transfer", "forward", "backward", "optimizer"])
            # whole numbers and a few values only, so that ties are exact and frequent
            top = draw.choice([3, 60])
            phases = {name: draw.integer(0, top) for name in names[:count]}
            phases[draw.choice(names[:count])] = draw.integer(1, 2 * top)
            for most in (0, 1, count):
                hidden = draw.shuffled(names[:count])[: draw.integer(0, most)]
                cases.append(((phases, speedup, hidden) if hidden else (phases, speedup), {}))
    # two workers beside a step, and one that becomes the limit when the step gets faster
    t = draw.integer(2, 9)
    cases.append((({"a": 6 * t, "b": 5 * t, "step": 8 * t}, 2, ["a", "b"]), {}))
    cases.append((({"loader": 7 * t, "forward": 2 * t, "backward": 6 * t}, 4, ["loader"]), {}))
    values = values_of(student, expect, "rank_targets", cases)
    for (arguments, _), (words, got) in zip(cases, values, strict=True):
        phases, speedup, hidden = (*arguments, ())[:3]
        want = _gains(phases, speedup, hidden)
        expect.equal(
            len(got) if isinstance(got, list) else got, len(want), what=f"pairs of {words}"
        )
        for pair in got:
            fine = isinstance(pair, list | tuple) and len(pair) == 2 and isinstance(pair[0], str)
            expect.that(fine, "Each entry must be a pair (name, gain).", None if fine else pair)
        expect.equal(sorted(name for name, _ in got), sorted(want), what=f"names of {words}")
        expect.close({name: gain for name, gain in got},  # noqa: C416 - pairs may be lists
                     {name: float(gain) for name, gain in want.items()},
                     rtol=1e-9, what=f"gains of {words}")  # fmt: skip
        # with a speed-up of 1 or 3 rounding may part what is equal in fractions
        if speedup not in (1, 3):
            order = sorted(want, key=lambda name: -want[name])
            expect.equal([name for name, _ in got], order, what=f"order of {words}")


@check("8.9.g", row="optimization_validity", level="pass")
def test_phases_that_cannot_be(student, draw, expect):
    """A bad time in any phase, a bad speed-up and an unknown hidden phase are refused."""
    good = {name: draw.integer(1, 50) for name in ("data_wait", "forward", "backward")}
    cases = []
    for speedup, hidden in product((0, -2, -0.5, math.nan, -math.inf), ([], ["data_wait"])):
        cases.append((f"for a speed-up of {speedup}", (good, speedup, hidden), {}))
    for name, hidden in product(good, ([], ["data_wait"])):
        for word, value in (("negative", -1), ("NaN", math.nan), ("minus infinity", -math.inf)):
            words = f"if {name} is {word}, with {hidden or 'nothing'} hidden"
            cases.append((words, ({**good, name: value}, 2, hidden), {}))
    for hidden in ([], ["data_wait"], list(good)):
        cases.append(("if all times are 0", (dict.fromkeys(good, 0), 2, hidden), {}))
    for hidden in (["loader"], ["data_wait", "loader"]):
        cases.append(("if a hidden phase is unknown", (good, 2, hidden), {}))
    refusals(student, expect, "rank_targets", cases)
