"""Hidden checks of log1mexp and safe_sqrt_grad (8.5.d, 8.5.f): formulas of single entries."""

from __future__ import annotations

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
    tolerance,
    unwarned,
)

# 8.5.d log1mexp


ROUNDINGS = 24
"""What log1mexp may be off by, in rounding errors of the dtype.

At a line between -1 and -0.3 the first function is off by up to 4 of them in single precision,
which the difference and the second make 13; the second adds 4.
"""


def _log1mexp(x, digits=400):
    """Return log(1 - exp(x)), computed with that many digits."""
    with localcontext() as context:
        context.prec = digits
        return float((1 - Decimal(x).exp()).ln())


@check("8.5.d", **ROW, level="pass")
def test_log1mexp_near_zero(student, draw, expect):
    """Near 0, where exp(x) rounds to 1, the result keeps its digits."""
    _log1mexp_held(student, draw, expect, (-18, -1))


@check("8.5.d", **ROW, level="pass")
def test_log1mexp_far_from_zero(student, draw, expect):
    """Far below 0, where 1 - exp(x) rounds to 1, the result keeps its digits."""
    _log1mexp_held(student, draw, expect, (0, 2.5))


@check("8.5.d", **ROW, level="strong")
def test_log1mexp_beside_its_line(student, draw, expect):
    """From just below 0 to far below it no stretch loses more than a few rounding errors."""
    # beyond the right line each formula loses digits steadily; any line far from it shows
    x = np.concatenate([10.0 ** np.linspace(-7, -1, 150), np.linspace(0.05, 12, 250)])
    _log1mexp_of(student, expect, -x * draw.uniform(0.95, 1.05), 60)


def _log1mexp_held(student, draw, expect, exponents):
    x = -(10.0 ** np.linspace(*exponents, 7)) * draw.uniform(0.9, 1.1)
    _log1mexp_of(student, expect, x, 400)


def _log1mexp_of(student, expect, x, digits):
    for dtype, lowest in ((F64, -INF), (F32, -80), (F16, -7)):
        fits = (x > lowest) & (np.abs(x) >= float(np.finfo(dtype).tiny))
        given = x[fits].astype(dtype)
        truth = np.array([_log1mexp(float(v), digits) for v in given])
        call = {"args": [laid(given, "reversed")], "strict": True}
        (answer,) = answered(student, expect, "log1mexp", [call])
        of_dtype(expect, answer["value"], dtype, "The result")
        info = np.finfo(dtype)
        tight = {"rtol": ROUNDINGS * float(info.eps), "atol": float(info.smallest_subnormal)}
        expect.close(answer["value"], truth, **tight, what="log1mexp")


@check("8.5.d", **ROW, level="pass")
def test_log1mexp_at_its_edges(student, draw, expect):
    """At 0, at -inf, above 0 and at NaN the answer is the promised one, without a warning."""
    dtype = draw.choice([F32, F64])
    x = np.array([[0.0, -0.0, -INF, draw.uniform(0.1, 900.0), NAN, INF]], dtype)
    truth = np.array([[-INF, -INF, 0.0, NAN, NAN, NAN]])
    alone, none = np.array(-draw.uniform(0.1, 2), dtype), np.zeros((0, 3), dtype)
    calls = [{"args": [given], "strict": True} for given in (x, alone, none)]
    answers = answered(student, expect, "log1mexp", calls)
    expect.close(answers[0]["value"], truth, what="log1mexp at its edges")
    want = _log1mexp(float(alone))
    expect.close(answers[1]["value"], want, **tolerance(dtype), what="log1mexp of a single number")
    of_dtype(expect, answers[2]["value"], dtype, "The result for an array without entries")
    shape = list(answers[2]["value"].shape)
    expect.equal(shape, [0, 3], what="the shape for an array without entries")
    unwarned(expect, "log1mexp", answers, "at an edge")


# 8.5.f safe_sqrt_grad


def _pair(expect, answer, dtype):
    found = answer["value"]
    fine = isinstance(found, list | tuple) and len(found) == 2
    expect.that(fine, "The result should be a value and a gradient.")
    for part, what in zip(found, ("The value", "The gradient"), strict=True):
        of_dtype(expect, part, dtype, what)
    return found


@check("8.5.f", **ROW, level="pass")
def test_guarded_root_like_autograd(student, reference, draw, expect):
    """Value and gradient are those of autograd with a guarded input, also at 0 and below."""
    for dtype in (F32, F64):
        x = draw.normal((3, 4), dtype)
        x[0, 0], x[1, 1], x[2, 2] = 0.0, -0.0, np.finfo(dtype).tiny
        upstream = draw.normal((3, 4), dtype)
        truth = reference.run("torch_sqrt_grad", {"x": x, "upstream": upstream}, stage="torch")
        answers = answered(
            student, expect, "safe_sqrt_grad",
            [{"args": [laid(x, "columns"), upstream]}, {"args": [x]}],
        )  # fmt: skip
        value, gradient = _pair(expect, answers[0], dtype)
        tight = {"rtol": 4 * float(np.finfo(dtype).eps)}
        expect.close(gradient, truth["gradient"], **tight, what="the gradient")
        expect.close(value, truth["value"], **tight, what="the value")
        _, gradient = _pair(expect, answers[1], dtype)
        want = np.where(x > 0, 0.5 / np.sqrt(np.where(x > 0, x, 1)), 0)
        expect.close(gradient, want, **tight, what="the gradient for an upstream of 1")


@check("8.5.f", **ROW, level="pass")
def test_guarded_root_raises_no_flag(student, draw, expect):
    """Where NumPy raises for a division by zero or an invalid operation, the call passes."""
    dtype = draw.choice([F16, F32, F64])
    x = np.array([0.0, -1.0, 4.0, -INF], dtype)
    calls = [{"args": [x], "strict": True}, {"args": [np.zeros((0, 2), dtype)], "strict": True}]
    for answer, size in zip(
        answered(student, expect, "safe_sqrt_grad", calls), (x.shape, (0, 2)), strict=True
    ):
        value, gradient = _pair(expect, answer, dtype)
        expect.equal(list(np.shape(value)), list(size), what="the shape of the value")
        expect.that(bool(np.all(np.isfinite(gradient))), "A gradient is not finite.")


@check("8.5.f", **ROW, level="pass")
def test_upstream_where_nothing_passes(student, draw, expect):
    """An infinite or NaN upstream gradient is 0 where the function is constant."""
    x = np.array([-1.0, 0.0, -2.0, 4.0, 9.0, 1.0, 0.25], F32)
    upstream = np.array([INF, NAN, draw.normal(()), 2.0, NAN, INF, -INF], F32)
    (answer,) = answered(student, expect, "safe_sqrt_grad", [{"args": [x, upstream]}])
    _, gradient = _pair(expect, answer, F32)
    want = np.array([0, 0, 0, 0.5, NAN, INF, -INF])
    expect.close(gradient, want, rtol=1e-6, what="the gradient")


@check("8.5.f", **ROW, level="pass")
def test_upstream_that_broadcasts(student, draw, expect):
    """The upstream gradient may be a number, a row or a column, of any dtype; x may be one number.

    The result has the shape and dtype of x.
    """
    x = draw.normal((3, 4), F32)
    slope = np.where(x > 0, 0.5 / np.sqrt(np.where(x > 0, x, 1)), 0)
    forms = (2.5, draw.normal((4,), F64), draw.normal((3, 1), F32), np.array([[3]]))
    calls = [{"args": [x, upstream]} for upstream in forms]
    alone = np.array(draw.uniform(0.5, 2), F32)
    answers = answered(student, expect, "safe_sqrt_grad", [*calls, {"args": [alone, -3.0]}])
    for upstream, answer in zip(forms, answers[:-1], strict=True):
        _, gradient = _pair(expect, answer, F32)
        want = slope * np.asarray(upstream, F64)
        # the rounding of the upstream gradient to the dtype of x, of the root and of the quotient
        expect.close(gradient, want, rtol=8 * 2.0**-24, what="the gradient")
    found = answers[-1]["value"]
    fine = isinstance(found, list | tuple) and len(found) == 2
    expect.that(fine, "The result should be a value and a gradient.")
    want = -1.5 / np.sqrt(float(alone))
    expect.close(found[1], want, rtol=1e-6, what="the gradient of a single number")


@check("8.5.f", **ROW, level="pass")
def test_guarded_root_hides_no_nan(student, draw, expect):
    """A NaN that comes in goes out, in value and gradient; the root of infinity is infinite."""
    x = np.array([NAN, 4.0, -4.0, 0.0, INF], draw.choice([F32, F64]))
    (answer,) = answered(student, expect, "safe_sqrt_grad", [{"args": [x]}])
    value, gradient = _pair(expect, answer, x.dtype)
    expect.close(value, np.array([NAN, 2.0, 0.0, 0.0, INF]), rtol=1e-6, what="the value")
    expect.close(gradient, np.array([NAN, 0.25, 0.0, 0.0, 0.0]), rtol=1e-6, what="the gradient")
