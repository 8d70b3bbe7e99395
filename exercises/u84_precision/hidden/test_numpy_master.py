"""Hidden checks of sgd_master (8.4.h): exact sums on a grid, and a loop in torch."""

from __future__ import annotations

import numpy as np

from grader.checks import check
from grader.checks.arrays import numbers_in
from grader.checks.many import refusals, values_of

KEYS = ("master", "weights", "plain", "lost")


def _trained(student, expect, weights, gradients, lr, *fmt, shape=None):
    calls = [((weights, gradients, lr, *fmt), {})]
    ((_, value),) = values_of(student, expect, "sgd_master", calls)
    expect.keys(value, KEYS, what="the result")
    shape = np.shape(weights) if shape is None else shape
    arrays = {name: numbers_in(expect, value[name], shape, name) for name in KEYS[:3]}
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
    refusals(student, expect, "sgd_master", [(f"for {why}", *call) for why, call in cases.items()])
