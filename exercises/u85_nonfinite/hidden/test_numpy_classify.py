"""Hidden checks of classify (8.5.a): results of every kind, told apart by the processor's flags."""

from __future__ import annotations

import numpy as np

from grader.checks import check

from .asked import F16, F32, F64, INF, NAN, ROW, answered, unwarned


def _classified(student, expect, cases, strict=False):
    """Expect the kind of each case ``(ufunc, arguments, kind)``."""
    calls = [{"args": [{"ufunc": op}, args], "strict": strict} for op, args, _ in cases]
    answers = answered(student, expect, "classify", calls)
    for (op, args, kind), answer in zip(cases, answers, strict=True):
        types = ", ".join(str(np.asarray(a).dtype) for a in args)
        expect.equal(answer["value"], kind, what=f"the kind of an np.{op} of {types}")
    return answers


def _around(draw, value, size, dtype=F32):
    """Return an array of harmless values with one other in it."""
    array = np.full(size, 1.5, dtype)
    array[draw.integer(0, size - 1)] = value
    return array


@check("8.5.a", **ROW, level="pass")
def test_born_here_by_the_flag(student, draw, expect):
    """A division by zero, an invalid operation and an overflow are told apart."""
    n = draw.integer(2, 9)
    ones = np.ones(n, F32)
    cases = [
        ("divide", [ones, _around(draw, 0, n)], "divide"),
        ("log", [_around(draw, 0, n, F64)], "divide"),
        ("reciprocal", [_around(draw, 0, n, F16)], "divide"),
        ("divide", [np.zeros(n, F32), _around(draw, 0, n)], "invalid"),
        ("subtract", [np.full(n, INF), _around(draw, INF, n, F64)], "invalid"),
        ("multiply", [np.zeros(n), _around(draw, -INF, n, F64)], "invalid"),
        ("sqrt", [_around(draw, -draw.uniform(0.1, 9), n)], "invalid"),
        ("log", [_around(draw, -draw.uniform(0.1, 9), n)], "invalid"),
        ("exp", [_around(draw, draw.uniform(90, 700), n)], "overflow"),
        ("square", [_around(draw, 257, n, F16)], "overflow"),
        ("multiply", [_around(draw, 1e200, n, F64), 1e200], "overflow"),
        ("add", [np.float16(65504), np.float16(65504)], "overflow"),
        # functions made of one
        ("prod", [np.full(n, 1e200)], "overflow"),
        ("sum", [np.array([INF, 1.0, -INF])], "invalid"),
    ]
    _classified(student, expect, draw.shuffled(cases))


@check("8.5.a", **ROW, level="strong")
def test_passed_on_is_not_born(student, draw, expect):
    """An operation that only passes a bad value on is not the one that made it."""
    n = draw.integer(2, 9)
    cases = [
        ("add", [_around(draw, NAN, n), 1.0], "propagated"),
        ("exp", [_around(draw, NAN, n)], "propagated"),
        ("sqrt", [_around(draw, INF, n, F64)], "propagated"),
        ("multiply", [_around(draw, -INF, n, F16), F16(2)], "propagated"),
        ("divide", [_around(draw, INF, n), np.full(n, 2, F32)], "propagated"),
        # bad values went in, and none came out
        ("exp", [_around(draw, -INF, n)], "fine"),
        ("divide", [np.ones(n, F32), _around(draw, INF, n)], "fine"),
    ]
    _classified(student, expect, draw.shuffled(cases))


@check("8.5.a", **ROW, level="pass")
def test_kinds_in_their_order(student, draw, expect):
    """When entries differ, what is born comes before what is passed on, in the promised order."""
    cases = [
        ("divide", [np.array([1.0, NAN, 3.0]), np.array([0.0, 1.0, 2.0])], "divide"),
        ("divide", [np.array([0.0, 1.0]), np.array([0.0, 0.0])], "divide"),
        ("log", [np.array([-1.0, 0.0, NAN])], "divide"),
        ("subtract", [np.array([INF, INF]), np.array([INF, 1.0])], "invalid"),
        ("multiply", [np.array([1e200, INF]), np.array([1e200, 0.0])], "invalid"),
        ("multiply", [np.array([1e200, INF, 1e-200]), np.array([1e200, 2.0, 1e-200])], "overflow"),
        ("multiply", [np.array([NAN, 1e-200]), np.array([1.0, 1e-200])], "propagated"),
        ("multiply", [np.array([INF, 1e-200]), np.array([0.0, 1e-200])], "invalid"),
        ("divide", [np.array([1.0, 1e-200]), np.array([0.0, 1e200])], "divide"),
    ]
    _classified(student, expect, draw.shuffled(cases))


@check("8.5.a", **ROW, level="pass")
def test_underflow_is_noticed(student, draw, expect):
    """A result that vanished is an underflow, whatever error state the caller has set."""
    n = draw.integer(2, 9)
    cases = [
        ("square", [_around(draw, draw.uniform(1e-30, 1e-25), n)], "underflow"),
        ("multiply", [np.full(n, 1e-5, F16), F16(1e-5)], "underflow"),
        ("divide", [_around(draw, 1e-200, n, F64), 1e200], "underflow"),
        # 1.5e-40 is below the smallest normal number, and keeps 17 of its 24 bits
        ("square", [_around(draw, 1.2345679e-20, n)], "underflow"),
        # an infinity beside it, of which the result keeps nothing
        ("divide", [np.array([1e-200, 1.0]), np.array([1e200, INF])], "underflow"),
        ("multiply", [np.zeros(n, F32), np.full(n, 1e-30, F32)], "fine"),
        ("subtract", [np.ones(n, F32), np.ones(n, F32)], "fine"),
        ("exp", [np.ones((0, 3), F32)], "fine"),
    ]
    _classified(student, expect, cases)


@check("8.5.a", **ROW, level="pass")
def test_flags_without_a_warning(student, draw, expect):
    """No warning is printed, and a caller that lets NumPy raise gets the same answers."""
    cases = [
        ("divide", [1.0, 0.0], "divide"),
        ("sqrt", [np.array([-1.0])], "invalid"),
        ("exp", [np.array([1000.0])], "overflow"),
    ]
    answers = _classified(student, expect, cases)
    unwarned(expect, "classify", answers, "about what it is asked to classify")
    _classified(student, expect, cases, strict=True)


@check("8.5.a", **ROW, level="pass")
def test_an_error_is_passed_on(student, draw, expect):
    """An error of the operation itself comes through, and NumPy's error state is as it was."""
    shapes = [np.ones(draw.integer(2, 4), F32), np.ones(draw.integer(5, 9), F32)]
    case = {"function": "classify", "calls": [{"args": [{"ufunc": "add"}, shapes]}]}
    (answer,) = student.run("numeric", case)
    refused = "ValueError" in answer.get("raised", [])
    seen = answer.get("value")
    expect.that(refused, "The ValueError of arrays that do not fit together is lost.", seen)
    note = "After an error of the operation np.geterr() or np.geterrcall() is changed."
    expect.that(answer.get("state") is True, note)
