"""Hidden checks of softmax and logsumexp (8.5.b, 8.5.c): exact decimals, and PyTorch's own."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np

from grader.checks import check

from .asked import (
    F16,
    F32,
    F64,
    INF,
    NAN,
    ROW,
    answered,
    laid,
    of_dtype,
    refuses,
    tolerance,
    unwarned,
)

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


def _softmaxed(student, expect, cases, what, quiet=True):
    """Expect the softmax of each case ``(x, axis, keep, truth)``."""
    calls = [
        {"args": [x, axis] if keep is None else [x, axis, keep], "strict": quiet}
        for x, axis, keep, _ in cases
    ]
    answers = answered(student, expect, "softmax", calls)
    for (x, _, _, truth), answer in zip(cases, answers, strict=True):
        values = x["array"] if isinstance(x, dict) else np.asarray(x)
        dtype = values.dtype if values.dtype.kind == "f" else np.dtype(F64)
        of_dtype(expect, answer["value"], dtype, "The softmax")
        expect.close(answer["value"], truth, **tolerance(dtype), what=what)
    if quiet:
        unwarned(expect, "softmax", answers, "although no kept entry is NaN or +inf")


@check("8.5.b", **ROW, level="pass")
def test_softmax_of_any_size(student, draw, expect):
    """Scores of any size, dtype and layout give shares right to a few rounding errors."""
    cases = []
    axes = draw.shuffled([-1, 0, 1, 0])
    layouts = draw.shuffled(["columns", "reversed", "every other", "columns"])
    for dtype, size in ((F16, 3e4), (F32, 1e30), (F64, 1e300), (F64, 700.0)):
        x = (draw.normal((3, 5), F64)).astype(dtype)
        x += (draw.choice([-1, 1]) * size * np.array([[1], [0], [-0.5]])).astype(dtype)
        axis = axes.pop()
        cases.append((laid(x, layouts.pop()), axis, None, _shares(x, axis)))
    whole = np.array([[draw.integer(-2000, 2000) for _ in range(4)], [1, 2, 3, 1000]])
    # the difference of two of these does not fit their dtype
    bytes_of_both_signs = np.array([-128, draw.integer(0, 9), 127], np.int8)
    plain_bytes = np.array([3, 250, draw.integer(245, 255)], np.uint8)
    for array in (whole, bytes_of_both_signs, plain_bytes):
        cases.append((array, -1, None, _shares(array, -1)))
    block = draw.normal((2, 3, 4), F32) * 30
    cases += [(block, axis, None, _shares(block, axis)) for axis in (0, 1, -2)]
    for shape, axis in (((3, 0), -1), ((0, 3), 0), ((0, 3), 1)):
        cases.append((np.zeros(shape, F32), axis, None, np.zeros(shape)))
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
    unknown, endless = scores.copy(), scores.copy()
    unknown[~keep], endless[~keep] = NAN, INF
    _softmaxed(
        student, expect,
        [(scores, -1, keep, truth), (lost, -1, None, truth), (lost, -1, keep, truth),
         (unknown, -1, keep, truth), (endless, -1, keep, truth),
         (unknown, 0, False, np.zeros((6, 6))), (endless, 0, False, np.zeros((6, 6)))],
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
         (plain, -1, rows, _shares(plain, -1, rows)),
         (plain, -1, one_row.tolist(), _shares(plain, -1, one_row))],
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
        refuses(student, expect, "softmax", [x, -1, mask], "if keep is not boolean")


# 8.5.c logsumexp


def _summed(student, expect, cases, what):
    """Expect logsumexp of each case ``(x, axis, truth, dtype)``."""
    calls = [{"args": [x, axis], "strict": True} for x, axis, _, _ in cases]
    answers = answered(student, expect, "logsumexp", calls)
    for (_, _, truth, dtype), answer in zip(cases, answers, strict=True):
        value = answer["value"]
        if np.ndim(truth):
            of_dtype(expect, value, dtype, "The result")
        eps = float(np.finfo(dtype).eps)
        # one rounding of the result, and those of the largest score and the logarithm
        expect.close(value, truth, rtol=8 * eps, atol=8 * eps, what=what)
    unwarned(expect, "logsumexp", answers, "although the answer is defined")


@check("8.5.c", **ROW, level="pass")
def test_logsumexp_of_any_size(student, reference, draw, expect):
    """Scores of any size agree with PyTorch's logsumexp and with exact sums."""
    cases = []
    arrays = [draw.normal((2, 3, 4), F32) * 30]
    for dtype, size in ((F16, 2e4), (F32, 1e5), (F64, 1e5), (F64, 1.0)):
        x = draw.normal((3, 4), F64).astype(dtype)
        x += (draw.choice([-1, 1]) * size * np.array([[1], [0], [-0.5]])).astype(dtype)
        arrays.append(x)
    layouts = draw.shuffled(["columns", "reversed", "every other", "columns"])
    for x, axis, how in zip(
        arrays, [1, *draw.shuffled([0, 1, -1, 0])], ["reversed", *layouts], strict=True
    ):
        truth = reference.run("torch_logsumexp", {"x": x, "axis": axis}, stage="torch")
        exact = [
            max(row) + math.log(math.fsum(math.exp(v - max(row)) for v in row))
            for row in np.moveaxis(x, axis, -1).astype(F64).reshape(-1, x.shape[axis]).tolist()
        ]
        exact = np.reshape(exact, truth.shape)
        expect.close(truth, exact, rtol=1e-14, atol=1e-14, what="PyTorch's logsumexp")
        cases.append((laid(x, how), axis, truth, x.dtype))
    whole = np.array([1000, 1000])
    cases.append((whole, 0, 1000 + math.log(2), F64))
    # the difference of these does not fit their dtype
    spread = np.array([-128, 127, 127], np.int8)
    cases.append((spread, 0, 127 + math.log(2), F64))
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
    nothing = [
        (np.zeros((2, 0), F32), 1, np.full(2, -INF), F32),
        (np.zeros((0, 3)), 0, np.full(3, -INF), F64),
        (np.zeros((0, 3), F32), 1, np.zeros(0), F32),
    ]
    _summed(student, expect, [(x, 1, truth, F32), *nothing], "logsumexp of infinities")


@check("8.5.c", **ROW, level="pass")
def test_logsumexp_whose_sum_does_not_fit(student, draw, expect):
    """The sum of the exponentials may be larger than the dtype holds."""
    count, score = draw.integer(66000, 80000), draw.integer(-3, 3)
    x = np.full(count, score, F16)
    _summed(student, expect, [(x, 0, score + math.log(count), F16)], "logsumexp of many scores")
