"""Hidden checks of needs_scaler (8.4.l): shares by the ends of a format, and a float16 run."""

from __future__ import annotations

import math

import numpy as np

from grader.checks import check

from .asked import must_raise, quietly, value_of

KEYS = ("nonzero", "underflow", "overflow", "needed", "largest_scale")
HALF_OF_SMALLEST = {"float16": 2.0**-25, "bfloat16": 2.0**-134}
LARGEST = {"float16": 2.0**15 * (2 - 2.0**-10), "bfloat16": 2.0**127 * (2 - 2.0**-7)}


def _needed(student, expect, case):
    seen = quietly(student, expect, "needed", case)
    got = value_of(expect, seen, "needs_scaler")
    expect.that(seen["kept"], "needs_scaler changed the gradients.")
    expect.keys(got, KEYS, what="the result")
    return got


def _told(expect, got, want, what):
    for name in KEYS:
        # a share of n entries is a multiple of 1 / n, n below 10**6
        expect.close(got[name], want[name], rtol=1e-6, what=f"{name}, {what}")


def _truth(arrays, dtype, scale, tolerance):
    """Return the answer from the two ends of the dtype alone; ties are not drawn."""
    flat = np.concatenate([a.astype(np.float64).reshape(-1) for a in arrays])
    flat = np.abs(flat[flat != 0])
    scaled, half_step = (
        flat * scale,
        LARGEST[dtype] * (1 + 2.0 ** (-12 if dtype == "float16" else -9)),
    )
    under = float((scaled <= HALF_OF_SMALLEST[dtype]).mean())
    best = 2.0 ** math.floor(math.log2(LARGEST[dtype] / flat.max()))
    while best * flat.max() > LARGEST[dtype]:
        best /= 2
    while 2 * best * flat.max() <= LARGEST[dtype]:
        best *= 2
    return {
        "nonzero": len(flat),
        "underflow": under,
        "overflow": float((scaled >= half_step).mean()),
        "needed": under > tolerance,
        "largest_scale": best,
    }


@check("8.4.l", row="optimization_validity", level="pass")
def test_shares_of_lost_entries(student, draw, expect):
    """Shares are of the nonzero entries of all gradients together, for each scale."""
    shapes = [(40, 3), (5,), (1, 7)]
    arrays = [
        (draw.normal(s) * 10.0 ** draw.rng.integers(-11, 3, s)).astype(np.float32) for s in shapes
    ]
    arrays[0][::3] = 0
    names = ["first_transposed", "second", "third"]
    gradients = dict(zip(names, arrays, strict=True)) | {
        "none": None,
        "empty": np.zeros((0, 4), np.float32),
    }
    for scale in (1.0, 2.0**10, 2.0**16, 2.0**-6):
        tolerance = draw.uniform(0.001, 0.5)
        case = {"gradients": gradients, "named": {"scale": scale, "tolerance": tolerance}}
        got = _needed(student, expect, case)
        _told(expect, got, _truth(arrays, "float16", scale, tolerance), f"float16, scale {scale:g}")
    case = {"gradients": gradients, "dtype": "bfloat16"}
    _told(expect, _needed(student, expect, case), _truth(arrays, "bfloat16", 1.0, 0.01), "bfloat16")


@check("8.4.l", row="optimization_validity", level="pass")
def test_ends_of_the_half_formats(student, draw, expect):
    """Half of the smallest subnormal is lost, a hair more is not; so at the upper end."""
    small = np.array(
        [2.0**-25, np.nextafter(np.float32(2.0**-25), 1), 2.0**-24, 2.0**-26], np.float32
    )
    got = _needed(student, expect, {"gradients": {"w": small}})
    want = {
        "nonzero": 4,
        "underflow": 0.5,
        "overflow": 0.0,
        "needed": True,
        "largest_scale": 2.0**39,
    }
    _told(expect, got, want, "entries around the smallest float16")
    for top, best in ((65504.0, 1.0), (65505.0, 0.5), (32752.0, 2.0), (1.0, 32768.0), (4e5, 0.125)):
        got = _needed(student, expect, {"gradients": {"w": np.array([0.0, -top], np.float32)}})
        expect.equal(got["largest_scale"], best, what=f"largest_scale for a largest entry of {top}")
    got = _needed(
        student, expect, {"gradients": {"w": np.array([65519.0, 65520.0, 1.0, 1e9], np.float32)}}
    )
    expect.equal(got["overflow"], 0.5, what="overflow of 65519, 65520, 1 and 1e9 in float16")
    tiny = np.array([1e-40, 1e-30], np.float64)
    got = _needed(student, expect, {"gradients": {"w": tiny}, "dtype": "bfloat16"})
    expect.equal(
        got["underflow"], 0.0, what="underflow of 1e-40 and 1e-30 in bfloat16, with subnormals"
    )
    got = _needed(
        student, expect, {"gradients": {"w": np.array([1e-320], np.float64)}, "dtype": "bfloat16"}
    )
    expect.equal(
        got["largest_scale"], 2.0**1023, what="largest_scale for an entry of 1e-320 in bfloat16"
    )


@check("8.4.l", row="optimization_validity", level="pass")
def test_nothing_to_lose(student, expect):
    """Without a nonzero entry nothing is lost and any scale will do."""
    want = {
        "nonzero": 0,
        "underflow": 0.0,
        "overflow": 0.0,
        "needed": False,
        "largest_scale": math.inf,
    }
    for gradients, what in (
        ({}, "no gradient"),
        ({"w": None}, "a parameter without gradient"),
        ({"w": np.zeros(3, np.float32)}, "zeros"),
        ({"w": np.zeros((0, 2), np.float32)}, "no entry"),
    ):
        got = _needed(student, expect, {"gradients": gradients, "named": {"tolerance": 0.0}})
        _told(expect, got, want, what)
    case = {"gradients": {"w": np.ones(3, np.float32)}, "expanded": 1e-9}
    got = _needed(student, expect, case)
    expect.equal(
        [got["nonzero"], got["underflow"]], [8, 5 / 8], what="nonzero and underflow, expanded"
    )
    case = {"gradients": {"w": np.array([1.0, 1e-12], np.float32)}, "named": {"tolerance": 0.5}}
    got = _needed(student, expect, case)
    expect.equal(got["needed"], False, what="needed, with just the share that can be borne")


@check("8.4.l", row="optimization_validity", level="pass")
def test_gradients_that_say_nothing(student, draw, expect):
    """Gradients below float32 or not finite, dtypes but the halves and scales of 0 are refused."""
    fine = {"v": np.ones(4, np.float32)}
    cases = {
        "for gradients in float16": {"gradients": fine, "cast": "float16"},
        "for gradients in bfloat16": {"gradients": fine, "cast": "bfloat16"},
        "for gradients in float8_e5m2": {"gradients": fine, "cast": "float8_e5m2"},
        "for gradients in float8_e4m3fn": {"gradients": fine, "cast": "float8_e4m3fn"},
        "for a gradient with NaN": {"gradients": fine | {"w": np.array([1, math.nan], np.float32)}},
        "for an infinite gradient": {"gradients": {"w": np.array([math.inf], np.float32)} | fine},
        "for float32": {"gradients": fine, "dtype": "float32"},
        "for float8_e5m2": {"gradients": fine, "dtype": "float8_e5m2"},
        "for a scale of 0": {"gradients": fine, "named": {"scale": 0.0}},
        "for a negative scale": {"gradients": fine, "named": {"scale": -2.0}},
        "for a scale that is NaN": {"gradients": fine, "named": {"scale": math.nan}},
    }
    for why, case in cases.items():
        seen = quietly(student, expect, "needed", case)
        must_raise(expect, seen, "ValueError", why, "needs_scaler")


@check("8.4.l", row="optimization_validity", level="strong")
def test_share_that_a_float16_run_loses(student, reference, draw, expect):
    """The share is what a float16 run really loses: nearly all without a scale, little with one."""
    for scale, low, high in ((1.0, 0.9, 1.0), (2.0**16, 0.0, 0.05)):
        case = {"seed": draw.integer(0, 999), "factor": 1e-7, "scale": scale}
        seen = student.run("lost_in_a_run", case)
        for part in ("all", "last"):
            expect.keys(seen[part], KEYS, what="the result")
        arrays = [np.asarray(a) for a in seen["true"].values()]
        want = _truth(arrays, "float16", scale, 0.01)
        _told(expect, seen["all"], want, f"true gradients of a small loss, scale {scale:g}")
        expect.between(seen["all"]["underflow"], low, high, what=f"underflow at scale {scale:g}")
        # the run rounds logits and their gradients, too: entries near the end may fall either way
        expect.close(
            seen["last"]["underflow"],
            seen["lost"],
            atol=0.03,
            what=f"underflow of the last layer at scale {scale:g}, against a run in float16",
        )
