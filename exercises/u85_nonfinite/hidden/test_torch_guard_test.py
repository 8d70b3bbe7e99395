"""Hidden checks of assert_finite (8.5.p): a test that fails on the fault and not on the repair."""

from __future__ import annotations

import re

import numpy as np

from grader.checks import check
from grader.checks.watched import watched

from .asked import F16, F32, F64, ROW


def _test(student, expect, function, inputs, truth, **more):
    """Run a guard test; expect it to pass, or to fail at an input with a word."""
    arrays = [np.array(values, more.get("dtype", F32)) for values in inputs]
    case = {"function": function, "inputs": arrays, "needs_grad": more.get("needs_grad", False)}
    seen = watched(student, expect, "guard_test", case)
    raised = seen["raised"]
    if truth is None:
        name = raised[0] if raised else None
        expect.that(not raised, f"The test fails although {function} is fine.", name)
    else:
        number, word = truth
        failed = "AssertionError" in raised
        expect.that(failed, f"The test does not fail with AssertionError on {function}.")
        message = seen["message"]
        named = re.search(rf"(?<!\d){number}(?!\d)", message) is not None
        expect.that(named, "The message does not hold the number of the input.", message)
        other = "gradient" if word == "value" else "value"
        fine = word in message and other not in message
        expect.that(fine, f"The message should say {word}, and not {other}.", message)
    if more.get("alone"):
        expect.that(seen["kept"] is True, "The inputs were changed.")
        expect.equal(seen["gradients"], 0, what="inputs whose .grad was filled")


@check("8.5.p", **ROW, level="pass")
def test_guard_fails_on_bad_values(student, draw, expect):
    """The test fails at the first input with a bad value, infinities included."""
    big = draw.uniform(90, 300)
    _test(student, expect, "plain exponential", [[1.0], [2.0, big]], (1, "value"))
    _test(student, expect, "plain logarithm", [[1.0], [1.0], [0.0], [-1.0]], (2, "value"))
    _test(student, expect, "masked", [[[1.0, -1.0]], [[1.0, 2.0]]], (0, "value"))
    _test(student, expect, "softplus", [[1.0], [big, -big]], None)


@check("8.5.p", **ROW, level="strong")
def test_guard_tells_fault_from_repair(student, draw, expect):
    """On the faulty code it fails, by a gradient alone; on the repaired code it passes."""
    inputs = [[1.0, 4.0], [draw.uniform(1, 9), 0.0, -1.0]]
    _test(student, expect, "one where", inputs, (1, "gradient"))
    _test(student, expect, "two wheres", inputs, None)
    inputs = [[1.0, 2.0], [0.5, draw.uniform(1, 9)], [0.0, 0.0]]
    _test(student, expect, "clamped too late", inputs, (2, "gradient"))
    _test(student, expect, "clamped in time", inputs, None)


@check("8.5.p", **ROW, level="pass")
def test_guard_sees_infinite_gradients(student, draw, expect):
    """A gradient that is infinite fails the test as one that is NaN does."""
    _test(student, expect, "plain root", [[draw.uniform(1, 5)], [0.0]], (1, "gradient"))
    # the first input that fails, not the first value
    inputs = [[draw.uniform(1, 5)], [0.0], [draw.uniform(-5, -1)]]
    _test(student, expect, "plain root", inputs, (1, "gradient"))


@check("8.5.p", **ROW, level="pass")
def test_guard_leaves_inputs_alone(student, draw, expect):
    """Inputs keep their values and gradients, and results without a graph are looked at, too."""
    x = [[1.0, draw.uniform(1, 5)]]
    for function in ("sign", "detached", "constant"):
        _test(student, expect, function, x, None, alone=True)
    _test(student, expect, "two wheres", x, None, alone=True, needs_grad=True)
    _test(student, expect, "two wheres", x, None, alone=True)
    _test(student, expect, "big sum", [[1.0, 2.0, 3.0]], None, dtype=F16)
    _test(student, expect, "plain exponential", [[draw.uniform(100, 300)]], None, dtype=F64)
    _test(student, expect, "one where", [], None)
    case = {"function": "fails", "inputs": [np.ones(2, F32)]}
    seen = watched(student, expect, "guard_test", case)
    expect.that("KeyError" in seen["raised"], "An error of the function itself is not passed on.")
