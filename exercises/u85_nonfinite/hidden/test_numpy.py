"""Hidden checks of unit 8.5, NumPy stage: kinds of bad values, stable formulas, traces."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np

from grader.checks import check

INF, NAN = math.inf, math.nan
F16, F32, F64 = np.float16, np.float32, np.float64
BAD = (("nan", NAN), ("+inf", INF), ("-inf", -INF))
ROW = {"row": "fault_repair"}


def _answers(student, expect, function, calls):
    """Make calls of one function; each must answer, and leave arguments and NumPy as they were."""
    found = student.run("numeric", {"function": function, "calls": calls})
    fine = isinstance(found, list) and len(found) == len(calls)
    expect.that(fine and all(isinstance(a, dict) for a in found), "The calls gave no answers.")
    for answer in found:
        raised = answer.get("raised")
        seen = None if raised is None else f"{raised[0]}: {answer.get('message')}"
        expect.that(raised is None, f"{function} raised an error.", seen)
        expect.that(answer.get("state") is True, f"{function} left np.geterr() changed.")
        expect.that(answer.get("kept") is True, f"{function} changed its arguments.")
    return found


def _quiet(expect, function, answers, why):
    """Expect that no call warned."""
    warned = [text for answer in answers for text in answer.get("warned", [])]
    expect.that(not warned, f"{function} warns {why}.", warned[0] if warned else None)


def _refused(student, expect, function, args, why):
    found = student.run("numeric", {"function": function, "calls": [{"args": args}]})
    raised = found[0].get("raised") if isinstance(found, list) and found else None
    refused = isinstance(raised, list) and "ValueError" in raised
    expect.that(refused, f"{function} must raise ValueError {why}.")


def _laid(array, how):
    return {"array": array, "layout": how}


def _dtype(expect, value, dtype, what):
    seen = value.dtype if isinstance(value, np.ndarray) else None
    expect.that(seen == dtype, f"{what} should be an array of {np.dtype(dtype)}.", str(seen))


# 8.5.a classify


def _classified(student, expect, cases, strict=False):
    """Expect the kind of each case ``(ufunc, arguments, kind)``."""
    calls = [{"args": [{"ufunc": op}, args], "strict": strict} for op, args, _ in cases]
    answers = _answers(student, expect, "classify", calls)
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
    _quiet(expect, "classify", answers, "about what it is asked to classify")
    _classified(student, expect, cases, strict=True)


# 8.5.b softmax


def _shares(x, axis, keep=None):
    """Return softmax in 40 decimal digits, row by row; kept entries are finite or -inf."""
    rows = np.moveaxis(np.asarray(x, F64), axis, -1)
    kept = np.moveaxis(np.broadcast_to(True if keep is None else keep, np.shape(x)), axis, -1)
    result = np.zeros(rows.shape)
    for place in np.ndindex(rows.shape[:-1]):
        row, mask = rows[place], kept[place]
        top = max((float(v) for v in row[mask]), default=-INF)
        if top == -INF:
            continue
        with localcontext(prec=40):
            weights = [
                (Decimal(float(v)) - Decimal(top)).exp() if m else Decimal(0)
                for v, m in zip(row, mask, strict=True)
            ]
            result[place] = [float(weight / sum(weights)) for weight in weights]
    return np.moveaxis(result, -1, axis)


def _tolerance(dtype):
    """Return rtol and atol: a few rounding errors, and the smallest step of the dtype.

    A shifted score is off by half a rounding error of its size, and its exponential by as many
    rounding errors as that size; beyond the logarithm of the smallest number the exponential is 0
    whatever the shift. The sum, the quotient and the functions add a few.
    """
    info = np.finfo(dtype)
    shift = -math.log(float(info.smallest_subnormal))
    return {"rtol": (24 + shift) * float(info.eps), "atol": float(info.smallest_subnormal)}


def _softmaxed(student, expect, cases, what, quiet=True):
    """Expect the softmax of each case ``(x, axis, keep, truth)``."""
    calls = [
        {"args": [x, axis] if keep is None else [x, axis, keep], "strict": quiet}
        for x, axis, keep, _ in cases
    ]
    answers = _answers(student, expect, "softmax", calls)
    for (x, _, _, truth), answer in zip(cases, answers, strict=True):
        values = x["array"] if isinstance(x, dict) else np.asarray(x)
        dtype = values.dtype if values.dtype.kind == "f" else np.dtype(F64)
        _dtype(expect, answer["value"], dtype, "The softmax")
        expect.close(answer["value"], truth, **_tolerance(dtype), what=what)
    if quiet:
        _quiet(expect, "softmax", answers, "although no kept entry is NaN or +inf")


@check("8.5.b", **ROW, level="pass")
def test_softmax_of_any_size(student, draw, expect):
    """Scores of any size, dtype and layout give shares right to a few rounding errors."""
    cases = []
    for dtype, size in ((F16, 3e4), (F32, 1e30), (F64, 1e300), (F64, 700.0)):
        x = (draw.normal((3, 5), F64)).astype(dtype)
        x += (draw.choice([-1, 1]) * size * np.array([[1], [0], [-0.5]])).astype(dtype)
        axis = draw.choice([-1, 0, 1])
        how = draw.choice(["columns", "reversed", "every other"])
        cases.append((_laid(x, how), axis, None, _shares(x, axis)))
    whole = np.array([[draw.integer(-2000, 2000) for _ in range(4)], [1, 2, 3, 1000]])
    cases.append((whole, -1, None, _shares(whole, -1)))
    empty = np.zeros((3, 0), F32)
    cases.append((empty, -1, None, empty.astype(F64)))
    _softmaxed(student, expect, cases, "softmax")


@check("8.5.b", **ROW, level="pass")
def test_softmax_of_a_row_of_nothing(student, reference, draw, expect):
    """A row that may see nothing is all zeros, as fused attention gives it, and quiet."""
    scores = draw.normal((6, 6), F32) * 3
    keep = draw.rng.random((6, 6)) < 0.6
    keep[draw.integer(0, 5)] = False
    keep[:, 0] |= keep.sum(axis=1) == 1  # rows of one entry are fine, but dull
    fused = reference.run("fused_attention", {"scores": scores, "keep": keep}, stage="torch")
    truth = _shares(scores, -1, keep)
    # the reference library is on trial as well: float32 products of rows that sum to 1
    expect.close(fused, truth, rtol=1e-5, atol=1e-7, what="PyTorch's fused attention")
    lost = scores.copy()
    lost[~keep] = -INF
    _softmaxed(
        student, expect,
        [(scores, -1, keep, truth), (lost, -1, None, truth), (lost, -1, keep, truth)],
        "softmax with rows that may see nothing",
    )  # fmt: skip


@check("8.5.b", **ROW, level="pass")
def test_masked_scores_take_no_part(student, draw, expect):
    """What is masked weighs nothing: not if it is huge, not if it is NaN."""
    x = draw.normal((4, 5), F32)
    keep = np.ones((4, 5), bool)
    for row, value in enumerate((1e30, NAN, INF, 3e38)):
        column = draw.integer(0, 4)
        x[row, column], keep[row, column] = value, False
    clean = np.where(keep, x, 0)
    one_row = np.array([True, False, True, True, False])
    plain = draw.normal((3, 5), F64)
    rows = np.array([[True], [False], [True]])
    _softmaxed(
        student, expect,
        [(x, -1, keep, _shares(clean, -1, keep)), (plain, -1, one_row, _shares(plain, -1, one_row)),
         (plain, 0, one_row, _shares(plain, 0, one_row)),
         (plain, -1, rows, _shares(plain, -1, rows))],
        "softmax with masked entries",
    )  # fmt: skip


@check("8.5.b", **ROW, level="pass")
def test_softmax_does_not_hide(student, draw, expect):
    """A kept NaN or +inf makes its kept row NaN, and no other row."""
    x = draw.normal((3, 5), F32)
    keep = np.ones((3, 5), bool)
    keep[:, draw.integer(0, 4)] = False
    truth = _shares(x, -1, keep)
    column = int(np.flatnonzero(keep[0])[draw.integer(0, 3)])
    for row, value in zip(draw.shuffled([0, 1, 2])[:2], (NAN, INF), strict=True):
        x[row, column] = value
        truth[row] = np.where(keep[row], NAN, 0.0)
    _softmaxed(student, expect, [(x, -1, keep, truth)], "softmax with NaN and +inf", quiet=False)


@check("8.5.b", **ROW, level="pass")
def test_softmax_whose_sum_does_not_fit(student, draw, expect):
    """The shares of many equal scores are right though their sum does not fit the dtype."""
    count = draw.integer(66000, 80000)
    x = np.full((1, count), draw.uniform(-5, 5), F16)
    truth = np.full((1, count), 1 / count)
    _softmaxed(student, expect, [(x, -1, None, truth)], "softmax of very many float16 scores")


@check("8.5.b", **ROW, level="pass")
def test_softmax_refuses_an_additive_mask(student, draw, expect):
    """A mask of numbers is refused: nobody can tell whether 0 means keep or drop."""
    x = draw.normal((2, 3))
    for mask in (np.array([0.0, -INF, 0.0]), np.array([1, 0, 1])):
        _refused(student, expect, "softmax", [x, -1, mask], "if keep is not boolean")


# 8.5.c logsumexp


def _summed(student, expect, cases, what):
    """Expect logsumexp of each case ``(x, axis, truth, dtype)``."""
    calls = [{"args": [x, axis], "strict": True} for x, axis, _, _ in cases]
    answers = _answers(student, expect, "logsumexp", calls)
    for (_, _, truth, dtype), answer in zip(cases, answers, strict=True):
        value = answer["value"]
        if np.ndim(truth):
            _dtype(expect, value, dtype, "The result")
        eps = float(np.finfo(dtype).eps)
        # one rounding of the result, and those of the largest score and the logarithm
        expect.close(value, truth, rtol=8 * eps, atol=8 * eps, what=what)
    _quiet(expect, "logsumexp", answers, "although the answer is defined")


@check("8.5.c", **ROW, level="pass")
def test_logsumexp_of_any_size(student, reference, draw, expect):
    """Scores of any size agree with PyTorch's logsumexp and with exact sums."""
    cases = []
    for dtype, size in ((F16, 2e4), (F32, 1e5), (F64, 1e5), (F64, 1.0)):
        x = draw.normal((3, 4), F64).astype(dtype)
        x += (draw.choice([-1, 1]) * size * np.array([[1], [0], [-0.5]])).astype(dtype)
        axis = draw.choice([0, 1, -1])
        truth = reference.run("torch_logsumexp", {"x": x, "axis": axis}, stage="torch")
        exact = [
            max(row) + math.log(math.fsum(math.exp(v - max(row)) for v in row))
            for row in np.moveaxis(x, axis, -1).astype(F64).tolist()
        ]
        expect.close(truth, np.array(exact), rtol=1e-14, atol=1e-14, what="PyTorch's logsumexp")
        how = draw.choice(["columns", "reversed", "every other"])
        cases.append((_laid(x, how), axis, truth, dtype))
    whole = np.array([1000, 1000])
    cases.append((whole, 0, 1000 + math.log(2), F64))
    _summed(student, expect, cases, "logsumexp")


@check("8.5.c", **ROW, level="pass")
def test_logsumexp_of_infinities(student, draw, expect):
    """Rows of -inf, of nothing, with +inf and with NaN have an answer, and no warning."""
    x = draw.normal((5, 3), F32)
    x[0] = -INF
    x[1, draw.integer(0, 2)] = INF
    x[2, draw.integer(0, 2)] = NAN
    x[3, :2] = -INF
    x[4] = [INF, -INF, NAN]
    truth = np.array([-INF, INF, NAN, x[3, 2], NAN])
    nothing = (np.zeros((2, 0)), 1, np.full(2, -INF), F64)
    _summed(student, expect, [(x, 1, truth, F32), nothing], "logsumexp of infinities")


@check("8.5.c", **ROW, level="pass")
def test_logsumexp_whose_sum_does_not_fit(student, draw, expect):
    """The sum of the exponentials may be larger than the dtype holds."""
    count, score = draw.integer(66000, 80000), draw.integer(-3, 3)
    x = np.full(count, score, F16)
    _summed(student, expect, [(x, 0, score + math.log(count), F16)], "logsumexp of many scores")


# 8.5.d log1mexp


def _log1mexp(x):
    """Return log(1 - exp(x)) with sixty digits."""
    with localcontext() as context:
        context.prec = 400
        return float((1 - Decimal(x).exp()).ln())


@check("8.5.d", **ROW, level="pass")
def test_log1mexp_near_zero(student, draw, expect):
    """Near 0, where exp(x) rounds to 1, the result keeps its digits."""
    _log1mexp_held(student, draw, expect, (-18, -1))


@check("8.5.d", **ROW, level="pass")
def test_log1mexp_far_from_zero(student, draw, expect):
    """Far below 0, where 1 - exp(x) rounds to 1, the result keeps its digits."""
    _log1mexp_held(student, draw, expect, (0, 2.5))


def _log1mexp_held(student, draw, expect, exponents):
    for dtype, lowest in ((F64, -INF), (F32, -80), (F16, -7)):
        x = -(10.0 ** np.linspace(*exponents, 7)) * draw.uniform(0.9, 1.1)
        x = x[(x > lowest) & (np.abs(x) >= float(np.finfo(dtype).tiny))].astype(dtype)
        truth = np.array([_log1mexp(float(v)) for v in x])
        x = _laid(x, "reversed")
        (answer,) = _answers(student, expect, "log1mexp", [{"args": [x], "strict": True}])
        _dtype(expect, answer["value"], dtype, "The result")
        expect.close(answer["value"], truth, **_tolerance(dtype), what="log1mexp")


@check("8.5.d", **ROW, level="pass")
def test_log1mexp_at_its_edges(student, draw, expect):
    """At 0, at -inf, above 0 and at NaN the answer is the promised one, without a warning."""
    x = np.array([[0.0, -INF, draw.uniform(0.1, 900.0), NAN, INF]], draw.choice([F32, F64]))
    truth = np.array([[-INF, 0.0, NAN, NAN, NAN]])
    answers = _answers(student, expect, "log1mexp", [{"args": [x], "strict": True}])
    expect.close(answers[0]["value"], truth, what="log1mexp at its edges")
    _quiet(expect, "log1mexp", answers, "at an edge")


# 8.5.e first_invalid


def _found(student, expect, cases):
    """Expect the find of each case ``(trace, allow, truth)``."""
    calls = [
        {"args": [trace] if allow is None else [trace, allow], "strict": True}
        for trace, allow, _ in cases
    ]
    answers = _answers(student, expect, "first_invalid", calls)
    for (_, _, truth), answer in zip(cases, answers, strict=True):
        found = answer["value"]
        if truth is None:
            expect.that(found is None, "A bad value is reported where there is none.", found)
            continue
        fine = isinstance(found, list | tuple) and len(found) == 3
        expect.that(fine, "The find should be a name, an index and a kind.", found)
        expect.equal(found[0], truth[0], what="the name of the first bad array")
        expect.equal(found[2], truth[2], what="the kind of the first bad value")
        expect.equal(found[1], list(truth[1]), what="the index of the first bad value")


def _trace(draw, count=4):
    dtypes = draw.shuffled([F16, F32, F64, F32])
    return [
        [draw.name(), draw.normal((draw.integer(2, 4), draw.integer(2, 5)), dtypes[i])]
        for i in range(count)
    ]


def _spoil(draw, array, value):
    """Write a value at a random place; return the place."""
    place = tuple(draw.integer(0, n - 1) for n in array.shape)
    array[place] = value
    return place


@check("8.5.e", **ROW, level="pass")
def test_first_bad_array(student, draw, expect):
    """The first bad value is found at a random place, NaN or infinite, and later ones ignored."""
    cases = []
    for kind, value in BAD:
        trace = _trace(draw)
        number = draw.integer(0, 2)
        place = _spoil(draw, trace[number][1], value)
        for _, later in trace[number + 1 :]:
            _spoil(draw, later, draw.choice([NAN, INF]))
        cases.append((trace, None, (trace[number][0], place, kind)))
    lonely = [["all", np.ones((2, 2))], ["loss", np.array(NAN)]]
    cases.append((lonely, None, ("loss", (), "nan")))
    _found(student, expect, cases)


@check("8.5.e", **ROW, level="pass")
def test_first_entry_of_an_array(student, draw, expect):
    """Of several bad entries the first in row-major order counts, whatever its kind and strides."""
    cases = []
    for how in ("columns", "reversed", "every other"):
        array = np.ones((3, 4), F32)
        first, second, third = draw.shuffled(BAD)
        array[0, 2], array[1, 0], array[2, 1] = first[1], second[1], third[1]
        cases.append(([["h", _laid(array, how)]], None, ("h", (0, 2), first[0])))
    _found(student, expect, cases)


@check("8.5.e", **ROW, level="pass")
def test_allowed_masks(student, draw, expect):
    """A mask's -inf is no find where it is allowed; NaN, +inf and other arrays' -inf still are."""
    scores = draw.normal((4, 4), F32)
    scores[np.triu_indices(4, 1)] = -INF
    clean = [["scores", scores], ["weights", draw.normal((4, 4))]]
    cases = [(clean, allow, None) for allow in (["scores"], ["mask", "scores"])]
    cases.append((clean, [], ("scores", (0, 1), "-inf")))
    for kind, value in BAD[:2]:
        spoiled = scores.copy()
        spoiled[3, 1] = value
        cases.append(([["scores", spoiled]], ["scores"], ("scores", (3, 1), kind)))
    other = draw.normal((2, 3))
    other[1, 2] = -INF
    cases.append(([["scores", scores], ["core", other]], ["scores"], ("core", (1, 2), "-inf")))
    _found(student, expect, cases)


@check("8.5.e", **ROW, level="pass")
def test_fine_traces(student, draw, expect):
    """Huge but finite values, integers, booleans and empty arrays are no finds."""
    trace = [
        ["huge", np.full((3, 4), 60000, F16)],
        ["both", np.array([3e38, -3e38, 3e38], F32)],
        ["whole", np.array([[2**62, -1]])],
        ["keep", np.array([True, False])],
        ["none", np.zeros((0, 3), F32)],
        ["one", np.array(1.0)],
    ]
    _found(student, expect, [(draw.shuffled(trace), None, None), ([], None, None)])


# 8.5.f safe_sqrt_grad


def _pair(expect, answer, dtype):
    found = answer["value"]
    fine = isinstance(found, list | tuple) and len(found) == 2
    expect.that(fine, "The result should be a value and a gradient.")
    for part, what in zip(found, ("The value", "The gradient"), strict=True):
        _dtype(expect, part, dtype, what)
    return found


@check("8.5.f", **ROW, level="pass")
def test_guarded_root_like_autograd(student, reference, draw, expect):
    """Value and gradient are those of autograd with a guarded input, also at 0 and below."""
    for dtype in (F32, F64):
        x = draw.normal((3, 4), dtype)
        x[0, 0], x[1, 1], x[2, 2] = 0.0, -0.0, np.finfo(dtype).tiny
        upstream = draw.normal((3, 4), dtype)
        truth = reference.run("torch_sqrt_grad", {"x": x, "upstream": upstream}, stage="torch")
        answers = _answers(
            student, expect, "safe_sqrt_grad",
            [{"args": [_laid(x, "columns"), upstream]}, {"args": [x]}],
        )  # fmt: skip
        value, gradient = _pair(expect, answers[0], dtype)
        tolerance = {"rtol": 4 * float(np.finfo(dtype).eps)}
        expect.close(gradient, truth["gradient"], **tolerance, what="the gradient")
        expect.close(value, truth["value"], **tolerance, what="the value")
        _, gradient = _pair(expect, answers[1], dtype)
        want = np.where(x > 0, 0.5 / np.sqrt(np.where(x > 0, x, 1)), 0)
        expect.close(gradient, want, **tolerance, what="the gradient for an upstream of 1")


@check("8.5.f", **ROW, level="pass")
def test_guarded_root_raises_no_flag(student, draw, expect):
    """Where NumPy raises for a division by zero or an invalid operation, the call passes."""
    dtype = draw.choice([F16, F32, F64])
    x = np.array([0.0, -1.0, 4.0, -INF], dtype)
    calls = [{"args": [x], "strict": True}, {"args": [np.zeros((0, 2), dtype)], "strict": True}]
    for answer, size in zip(
        _answers(student, expect, "safe_sqrt_grad", calls), (x.shape, (0, 2)), strict=True
    ):
        value, gradient = _pair(expect, answer, dtype)
        expect.equal(list(np.shape(value)), list(size), what="the shape of the value")
        expect.that(bool(np.all(np.isfinite(gradient))), "A gradient is not finite.")


@check("8.5.f", **ROW, level="pass")
def test_upstream_where_nothing_passes(student, draw, expect):
    """An infinite or NaN upstream gradient is 0 where the function is constant."""
    x = np.array([-1.0, 0.0, -2.0, 4.0], F32)
    upstream = np.array([INF, NAN, draw.normal(()), 2.0], F32)
    (answer,) = _answers(student, expect, "safe_sqrt_grad", [{"args": [x, upstream]}])
    _, gradient = _pair(expect, answer, F32)
    expect.close(gradient, np.array([0, 0, 0, 0.5]), rtol=1e-6, what="the gradient")


@check("8.5.f", **ROW, level="pass")
def test_guarded_root_hides_no_nan(student, draw, expect):
    """A NaN that comes in goes out, in the value and in the gradient."""
    x = np.array([NAN, 4.0, -4.0, 0.0], draw.choice([F32, F64]))
    (answer,) = _answers(student, expect, "safe_sqrt_grad", [{"args": [x]}])
    value, gradient = _pair(expect, answer, x.dtype)
    expect.close(value, np.array([NAN, 2.0, 0.0, 0.0]), rtol=1e-6, what="the value")
    expect.close(gradient, np.array([NAN, 0.25, 0.0, 0.0]), rtol=1e-6, what="the gradient")


# 8.5.g detectors


def _step(incoming, outgoing, name="MulBackward0"):
    def arrays(values):
        return [None if value is None else np.array([1.0, value], F32) for value in values]

    return {"name": name, "incoming": arrays(incoming), "outgoing": arrays(outgoing)}


@check("8.5.g", row="prediction", level="pass")
def test_what_each_detector_sees(student, draw, expect):
    """Each detector sees what it looks at, and is blind to the rest."""
    fine, scores = np.ones(3, F32), np.array([1.0, -INF], F32)
    clean = _step([1.0], [2.0, None])
    cases = [
        ([], [], None, (False, False, False)),
        ([["h", fine]], [clean], None, (False, False, False)),
        ([["h", np.array([NAN])]], [clean], None, (True, False, False)),
        ([["s", scores]], [clean], ["s"], (False, False, False)),
        ([["s", scores]], [clean], None, (True, False, False)),
        ([["h", fine]], [clean, _step([2.0, None], [None, INF])], None, (False, False, True)),
        ([["h", fine]], [_step([1.0], [NAN]), clean], None, (False, True, True)),
        # a gradient that came in bad was made between the nodes: this node is a victim
        ([["h", fine]], [clean, _step([INF], [INF, None])], None, (False, False, False)),
        ([["h", fine]], [clean, _step([1.0, INF], [NAN])], None, (False, True, False)),
        ([["h", fine]], [clean, _step([NAN], [])], None, (False, False, False)),
        ([["h", np.array(INF)]], [_step([1.0], [-INF, NAN])], None, (True, True, True)),
    ]
    cases = draw.shuffled(cases)
    calls = [
        {"args": [trace, nodes] if allow is None else [trace, nodes, allow]}
        for trace, nodes, allow, _ in cases
    ]
    answers = _answers(student, expect, "detectors", calls)
    for (_, _, _, truth), answer in zip(cases, answers, strict=True):
        want = dict(zip(("forward", "anomaly", "node"), truth, strict=True))
        expect.equal(answer["value"], want, what="what the detectors see")
