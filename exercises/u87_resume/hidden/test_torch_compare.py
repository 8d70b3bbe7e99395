"""Hidden checks of first_divergence and boundary_report."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from grader.checks import check
from grader.checks.numbers import is_number
from grader.checks.watched import watched

APART = [
    "NaN in one", "NaN in the other", "a NaN float in one", "inf of another sign", "inf in one",
    "shapes that broadcast", "one entry against none", "no entries of other shapes",
    "another dtype", "half precision", "bytes off by one", "large integers", "large numbers",
    "an int and a float", "an int and a bool", "text", "None and zero", "a longer list",
    "an empty list", "a key more", "another key", "an infinite float in one",
    "infinite floats of another sign", "NaN at other places", "a tensor and a float",
    "a number and a text as key", "a list and a dict", "a key and a path to it",
    "an empty dict and none", "an empty dict and a list",
]  # fmt: skip
ALIKE = [
    "the same", "a transposed view", "NaN at one place in both", "a NaN float in both",
    "inf in both", "no entries", "a list and a tuple", "keys in another order",
    "zeros of both signs", "a parameter", "an infinite float in both", "floats that are zero",
]  # fmt: skip
CLOSE = {
    "one bit": 2.0**-23, "a small entry": 0.5 / 1000, "a float": 0.001 / 2.001,
    "a negative": 0.25 / 4.25, "the larger scale": 0.5, "integers as keys": 0.5,
    "deep inside": 0.5, "one bit of a double": 2.0**-52, "one bit of a float": 2.0**-52,
    "far apart in half precision": 2.0,
}  # fmt: skip
"""Pairs that can be subtracted, and their difference over the larger entry."""
BESIDE = {"a key more beside a float": 0.25, "a list that is longer behind a tensor": 0.2,
          "an integer beside a float": 0.5}  # fmt: skip
"""Pairs that no tolerance lets agree, with a float inside that differs by so much."""
INFINITE = ("NaN in one", "NaN in the other", "a NaN float in one", "inf of another sign",
            "inf in one", "an infinite float in one", "infinite floats of another sign",
            "NaN at other places")  # fmt: skip


def _found(expect: Any, answer: Any, words: str) -> dict[str, Any]:
    """Return an answer that says where runs differ, after a look at its shape."""
    message = f"{words}: first_divergence finds no difference."
    expect.that(answer is not None, message)
    expect.keys(answer, ["step", "parts", "largest"], what=f"{words}: the result")
    return dict(answer)


@check("8.7.j", row="resume")
def test_each_missing_part_is_found(student, draw, expect):
    """A run that was resumed without one part differs at the first step at which anything does."""
    case = {"seed": draw.integer(0, 10**6), "before": draw.choice((2, 3, 6, 7)), "after": 5}
    for one in student.run("missing_parts", case):
        part, answer, differs = one["part"], one["answer"], one["differs"]
        if not part:
            expect.that(answer is None, "A complete resume differs, it says.", answer)
            continue
        words = f"A run resumed without {part}"
        step = next((i for i, parts in enumerate(differs) if parts), None)
        expect.that(step is not None, "The grader's run does not depend on a part.")
        got = _found(expect, answer, words)
        expect.equal(got["step"], step, what=f"{words}: the step")
        expect.equal(got["parts"], differs[step], what=f"{words}: the parts that differ")


@check("8.7.j", row="resume")
def test_nothing_hides_a_difference(student, draw, expect):
    """NaN, shapes that broadcast, dtypes, integers, kinds, keys: equal is found equal, else not."""
    for tolerance in (0.0, draw.choice((0.1, 0.7))):
        pairs = [*APART, *ALIKE, *BESIDE]
        seen = student.run("diverging", {"pairs": pairs, "tolerance": tolerance})
        for name in ALIKE:
            words = f"{name}, tolerance {tolerance}: the two agree, and"
            expect.that(seen.get(name) is None, f"{words} that is not what came.", seen.get(name))
        for name in (*APART, *BESIDE):
            words = f"{name}, tolerance {tolerance}"
            got = _found(expect, seen.get(name), words)
            expect.equal(got["step"], 1, what=f"{words}: the step")
            expect.equal(got["parts"], ["part"], what=f"{words}: the parts")
            want = math.inf if name in INFINITE else BESIDE.get(name, 0.0)
            expect.close(got["largest"], want, rtol=1e-6, what=f"{words}: `largest`")


@check("8.7.j", row="resume")
def test_the_tolerance_is_relative(student, draw, expect):
    """A difference is held against the tolerance times the largest entry, and reported as such."""
    for factor in (0.9, 1.1):
        case = {"pairs": list(CLOSE), "tolerances": {k: factor * gap for k, gap in CLOSE.items()}}
        seen = student.run("diverging", case)
        for name, gap in CLOSE.items():
            answer, words = seen.get(name), f"{name}, tolerance {factor} times the difference"
            if factor > 1:
                expect.that(answer is None, f"{words}: the two agree within it.", answer)
                continue
            got = _found(expect, answer, words)
            # a float32 difference may be taken in float32: two roundings
            expect.close(got["largest"], gap, rtol=1e-6, what=f"{words}: `largest`")
    got = _found(expect, student.run("several_parts", {"tolerance": 0.15}), "Several parts")
    expect.equal(got["parts"], ["b", "came", "gone", "n"], what="the parts, sorted, that differ")
    expect.close(got["largest"], 0.2, rtol=1e-6, what="`largest` of the parts that differ")
    # every float agrees within 0.5, and what agrees lies in no part that differs
    got = _found(expect, student.run("several_parts", {"tolerance": 0.5}), "Parts without floats")
    expect.equal(got["parts"], ["came", "gone", "n"], what="the parts that differ in integers")
    expect.equal(float(got["largest"]), 0.0, what="`largest` of parts that differ in integers")
    lists = [[[1, 2], [1, 2]], [[1, 2], [1, 2, 3]], [[], [4]], [[1, 5, 3], [1, 6, 4]], [[], []]]
    seen = student.run("diverging", {"pairs": [], "tolerance": 0.5, "lists": lists})
    wanted = [None, (2, []), (0, []), (1, ["n"]), None]
    for (a, b), want in zip(lists, wanted, strict=True):
        answer = seen.get(f"{a} {b}")
        words = f"Runs of states {a} and {b}"
        if want is None:
            expect.that(answer is None, f"{words} are equal.", answer)
        else:
            got = _found(expect, answer, words)
            expect.equal([got["step"], got["parts"]], list(want), what=f"{words}: step and parts")
    for bad in (-0.1, math.nan):
        answer = student.attempt("several_parts", {"tolerance": bad})
        refused = answer.status == "raised" and answer.error is not None
        refused = refused and answer.error.type == "ValueError"
        expect.that(refused, f"A tolerance of {bad} must raise ValueError.")


NAMES = ("again", "threads", "batch")


def _report(expect: Any, one: Any, words: str, names: Any = NAMES) -> dict[str, dict[str, Any]]:
    """Return a report after a look at its shape."""
    report = one["report"]
    expect.that(not one["raised"], f"{words}: boundary_report raised {one['raised']}.")
    expect.keys(report, names, what=f"{words}: the report")
    odd = sorted(set(map(str, report)) - set(names))
    expect.that(not odd, f"{words}: the report has {', '.join(odd)} besides.")
    for name in names:
        expect.keys(report[name], ["bitwise", "largest", "within"], what=f"{words}: {name}")
        number = report[name]["largest"]
        expect.that(is_number(number), f"{words}: `largest` of {name} is not a number.", number)
    return dict(report)


def _holds(
    expect: Any, report: Any, words: str, wanted: dict[str, float], tolerance: float
) -> None:
    """Expect the differences of a report, and what follows from them."""
    for name, largest in wanted.items():
        row = report[name]
        what = f"{words}: `largest` of {name}"
        # float64 and a few products: the difference has some 1e-15 of error of its own
        expect.close(row["largest"], largest, rtol=1e-6, atol=1e-13, what=what)
        message = f"{words}: `bitwise` of {name} does not agree with its difference."
        expect.that(_says(row["bitwise"], row["largest"] == 0), message, row["bitwise"])
        message = f"{words}: `within` of {name} does not agree with the tolerance {tolerance}."
        within = row["largest"] <= tolerance
        expect.that(_says(row["within"], within), message, row["within"])


def _says(value: Any, truth: Any) -> bool:
    """Whether a value is a bool, Python's or NumPy's, and the right one."""
    return isinstance(value, bool | np.bool_) and bool(value) == bool(truth)


def _x(draw: Any) -> Any:
    return np.round(draw.normal((draw.integer(3, 5), 3), np.float64), 3)


@check("8.7.k", row="resume")
def test_each_boundary_is_told_apart(student, draw, expect):
    """What depends on threads, on the batch, on the compiler or on nothing is found there alone."""
    x, threads = _x(draw), draw.integer(2, 4)
    size = draw.uniform(1e-3, 4e-3)
    tolerance = size / 1.5
    models = [["plain", size], ["threads", size], ["batch", size], ["unused", size]]
    # the process has a number of threads of its own, which is neither that of the baseline
    now = threads + 1
    case = {"models": models, "x": x, "tolerance": tolerance, "threads": threads, "now": now}
    seen = watched(student, expect, "boundaries", {**case, "compiled": None})
    factor = {"threads": {"threads": threads - 1}, "batch": {"batch": 1}}
    words = {"plain": "A model that depends on no boundary",
             "unused": "A model with a parameter that is not used",
             "threads": "A model that depends on the number of threads",
             "batch": "A model that depends on the number of rows"}  # fmt: skip
    for kind, what in words.items():
        changed = factor.get(kind, {})
        report = _report(expect, seen[kind], what)
        # the outputs grow by the size, and the gradients of their squares by its double
        wanted = {name: (1 + size * changed.get(name, 0)) ** 2 - 1 for name in NAMES}
        _holds(expect, report, what, wanted, tolerance)
    compiled = watched(student, expect, "boundaries", {**case, "compiled": size})
    for kind, what in words.items():
        report = _report(expect, compiled[kind], f"{what}, compiled", (*NAMES, "compiled"))
        # nothing but the compiler changes there: one thread, and all rows at once
        factors = {**factor.get(kind, {}), "compiled": 1}
        wanted = {name: (1 + size * factors.get(name, 0)) ** 2 - 1 for name in report}
        _holds(expect, report, f"{what}, compiled", wanted, tolerance)
    case["models"] = [["again", size]]
    one = watched(student, expect, "boundaries", case)["again"]
    again = _report(expect, one, "A model that is never twice the same")["again"]
    message = "A model that is never twice the same must show at 'again'."
    expect.that(_says(again["bitwise"], False) and again["largest"] > 0, message, again)


@check("8.7.k", row="resume")
def test_gradients_count_and_nan_does_not_hide(student, draw, expect):
    """A difference in the gradients alone is found, and NaN on one side is an infinite one."""
    x, size = _x(draw), draw.uniform(1e-3, 4e-3)
    models = [
        ["gradient", size], ["NaN", size], ["NaN everywhere", size], ["zeros", size],
        ["infinities", size],
    ]  # fmt: skip
    case = {"models": models, "x": x, "tolerance": 1e-5, "threads": 2, "compiled": None}
    seen = watched(student, expect, "boundaries", case)
    words = "A model whose gradient alone depends on the threads"
    _holds(
        expect, _report(expect, seen["gradient"], words), words,
        {"again": 0.0, "threads": size, "batch": 0.0}, 1e-5,
    )  # fmt: skip
    words = "A model that gives NaN with two threads"
    wanted = {"again": 0.0, "threads": math.inf, "batch": 0.0}
    _holds(expect, _report(expect, seen["NaN"], words), words, wanted, 1e-5)
    words = "A model that gives NaN in the first row"
    wanted = {"again": 0.0, "threads": 0.0, "batch": math.inf}
    _holds(expect, _report(expect, seen["NaN everywhere"], words), words, wanted, 1e-5)
    words = "A model that gives zeros with one thread and others with two"
    wanted = {"again": 0.0, "threads": math.inf, "batch": 0.0}
    _holds(expect, _report(expect, seen["zeros"], words), words, wanted, 1e-5)
    words = "A model that gives infinities, and beside them what depends on the threads"
    wanted = {"again": 0.0, "threads": size, "batch": 0.0}
    _holds(expect, _report(expect, seen["infinities"], words), words, wanted, 1e-5)


@check("8.7.k", row="resume")
def test_each_way_starts_alike_and_nothing_is_left(student, draw, expect):
    """Dropout draws the same, buffers start the same, and all is put back, also on errors."""
    x, size = _x(draw), draw.uniform(0.1, 0.4)
    models = [["dropout", size], ["buffer", size], ["threads", size], ["raises", size]]
    case = {"models": models, "x": x, "tolerance": 1e-5, "threads": 3, "now": 2, "compiled": None}
    seen = watched(student, expect, "boundaries", case)
    for kind, words in (("dropout", "draws random numbers"), ("buffer", "counts in a buffer")):
        report = _report(expect, seen[kind], f"A model that {words}")
        wanted = dict.fromkeys(NAMES, 0.0)
        _holds(expect, report, f"A model that {words}", wanted, 1e-5)
    expect.equal(seen["raises"]["raised"], "ArithmeticError", what="the model's own error")
    for kind, one in seen.items():
        after = " after the model raised" if kind == "raises" else ""
        message = f"boundary_report left something changed{after}: {', '.join(one['changed'])}."
        expect.that(not one["changed"], message)
    empty = student.attempt("boundaries", {**case, "models": [["plain", size]], "x": x[:0]})
    refused = empty.status == "raised" and empty.error and empty.error.type == "ValueError"
    expect.that(bool(refused), "boundary_report must raise ValueError for x without rows.")
