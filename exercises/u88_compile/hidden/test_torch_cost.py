"""Hidden checks of steady_state, portable_state and the closed-book task (8.8.k, l, m)."""

from __future__ import annotations

import re

import numpy as np

from grader.checks import check
from grader.checks.numbers import quantile
from grader.checks.watched import watched

KEYS = ["first", "p50", "p90", "cost", "repeats"]


def _steady(student, draw, expect, warm, steady, **named):
    """Time calls that take ``warm`` and then ``steady`` seconds, and hold the answer to them."""
    reading = draw.choice([0.0, 1e-6])
    # a thousand times the first cost: a call too many is seen in the numbers as well
    case = {"costs": [*warm, *steady, 1e3], "start": draw.uniform(0, 9), "reading": reading,
            "named": {"warmup": len(warm), "repeats": len(steady), **named}}  # fmt: skip
    seen = watched(student, expect, "steady", case)
    expect.that("refused" not in seen, "steady_state must not refuse this.", seen.get("refused"))
    expect.equal(seen["calls"], len(warm) + len(steady), what="calls of the function")
    got = seen["answer"]
    expect.keys(got, KEYS, what="the answer")
    times = [time + reading for time in steady]
    bound = 1e-9 * (sum(warm) + sum(steady) + 10)
    middle = quantile(times, 0.5)
    for key, want in (
        ("p50", middle), ("p90", quantile(times, 0.9)), ("first", warm[0] + reading),
        ("cost", sum(warm) + len(warm) * reading - len(warm) * middle),
    ):  # fmt: skip
        expect.close(got[key], want, atol=bound, what=f"{key} (warm-up {len(warm)})", unit="s")
    expect.equal(got["repeats"], len(steady), what="repeats")


@check("8.8.k", row="optimization_validity", level="pass")
def test_steady_times(student, draw, expect):
    """The first call, a hundred times as long, is in none of the steady times."""
    t = draw.uniform(1e-3, 5e-3)
    spread = [t * (1 + draw.uniform(0, 0.2)) for _ in range(20)]
    _steady(student, draw, expect, [100 * t, t, t], spread)
    _steady(student, draw, expect, [100 * t], draw.shuffled([t, 3 * t, 2 * t, 9 * t]))
    _steady(student, draw, expect, [100 * t], [t])
    _no_warm_up_no_time(student, expect)


@check("8.8.k", row="optimization_validity", level="strong")
def test_all_compilations_are_paid_for(student, draw, expect):
    """A second compilation, in a later warm-up call, is in the cost and not in the steady times."""
    t = draw.uniform(1e-3, 5e-3)
    warm = [80 * t, t, draw.integer(30, 60) * t, t]
    _steady(student, draw, expect, warm, [t * draw.uniform(1, 1.5) for _ in range(9)])
    # nothing gained and nothing paid: the cost may be below zero
    _steady(student, draw, expect, [t / 2, t / 2], [t, t, 2 * t])


def _no_warm_up_no_time(student, expect):
    """Without a warm-up, or without a call that counts, there is no steady state."""
    for named in ({"warmup": 0}, {"repeats": 0}, {"warmup": -1}, {"warmup": 0, "repeats": 0}):
        seen = student.run("steady", {"costs": [1.0], "named": named})
        words = " and ".join(f"{key}={value}" for key, value in named.items())
        expect.that("refused" in seen, f"steady_state must raise ValueError for {words}.")
    seen = student.run("steady", {"costs": [1.0], "named": {}})
    expect.keys(seen, ["answer"], what="the answer with the defaults")
    expect.equal(seen["calls"], 23, what="calls with 3 to warm up and 20 repeats, the defaults")


# --- portable_state


def _a_compiled_model_is_saved_plain(student, draw, expect):
    """The state of a compiled model has the plain names, and loads with all its values."""
    for whole, what in ((True, "a compiled model"), (False, "a model that is not compiled")):
        _portable(student, expect, what, _parts(draw, whole=whole))


@check("8.8.l", row="fault_repair", level="pass")
def test_a_compiled_model_is_saved_plain(student, draw, expect):
    """The state of a compiled model, or of one with compiled parts, loads into the plain one."""
    _a_compiled_model_is_saved_plain(student, draw, expect)
    _portable(student, expect, "a model with a compiled layer", _parts(draw, [draw.choice([0, 2])]))
    everywhere = _parts(draw, [0, 2], inside=True, whole=True)
    _portable(student, expect, "compiled layers in a compiled body in a compiled model", everywhere)


def _parts(draw, parts=(), inside=False, whole=False):
    """Return what is compiled in a model, for the probe."""
    return {"whole": whole, "inside": inside, "parts": list(parts), "seed": draw.integer(0, 999)}


def _portable(student, expect, what, case):
    seen = watched(student, expect, "portable", case)
    expect.that(seen["kept"] is True, f"portable_state changed {what}.")
    expect.equal(seen["names"], seen["wanted"], what=f"names in the state of {what}")
    problem = seen.get("problem")
    expect.that(problem is None, f"The state of {what} does not load.", problem)
    expect.equal(seen["different"], [], what=f"what has another value after loading {what}")


# --- closed book


def _scale(array):
    return float(np.abs(array).max(initial=0.0))


@check("8.8.m", row="optimization_validity", level="pass")
def test_closed_book(student, draw, expect):
    """One function breaks, the other is one graph; both give the same, and the claims are true."""
    case = {"seed": draw.integer(0, 9999), "scales": [0.1, 1.0, 3.0]}
    seen = watched(student, expect, "closed_book", case)
    expect.that("problem" not in seen, seen.get("problem", ""))
    graphs, (reason, other) = seen["graphs"], seen["reasons"]
    expect.that(reason != "", "`broken` has no break.")
    expect.that(graphs[0] >= 2, "The break of `broken` is not in the middle.", graphs[0])
    expect.equal(other, "", what="torch's reason for a break of `repaired`")
    expect.equal(graphs[1], 1, what="graphs of `repaired`")
    moved = False
    for number, row in enumerate(seen["rows"], 1):
        for one in row:
            expect.that("problem" not in one, one.get("problem", ""))
        (old, new), what = row, f"input {number} of {len(seen['rows'])}"
        for key in ("output", "gradient"):
            expect.close(new[key], old[key], atol=1e-5 * _scale(old[key]),
                         what=f"the {key} of `repaired` on {what}")  # fmt: skip
        moved = moved or _scale(old["gradient"]) > 0
    expect.that(moved, "The gradient is zero everywhere, so that comparing it says nothing.")
    claims = seen["claims"]
    expect.equal(claims["graphs"], graphs, what="the graphs that were claimed")
    expect.equal(claims["reason"], reason, what="the reason that was given")
    for key in ("outputs_equal", "gradients_equal"):
        expect.that(claims[key] is True, f"`{key}` must be True, since they are.", claims[key])
    sentence = claims["sentence"]
    expect.that(isinstance(sentence, str), "The sentence must be text.", sentence)
    expect.that(len(sentence.split()) >= 5, "The sentence must have five words or more.", sentence)
    numbers = re.findall(r"\d+", sentence)
    for count in graphs:
        expect.that(
            str(count) in numbers, f"The sentence does not say {count} in digits.", sentence
        )
