"""Hidden checks of format_limits and ulp (8.4.d, e): the list of all numbers, torch and NumPy."""

from __future__ import annotations

import math

import numpy as np

from grader.checks import check
from grader.checks.arrays import arrays_of, held
from grader.checks.many import refusals, values_of

from .formats import BAD_FORMATS, described, drawn_formats, last_gap, numbers_of

LIMITS = ("max", "smallest_normal", "smallest_subnormal", "eps", "largest_consecutive_integer")


def _limits(student, expect, fmt, what):
    ((_, limits),) = values_of(student, expect, "format_limits", [(fmt, {})])
    expect.keys(limits, LIMITS, what=f"the limits of {what}")
    return limits


@check("8.4.d", row="prediction", level="pass")
def test_limits_of_drawn_formats(student, draw, expect):
    """The limits are those of the list of all numbers of a format."""
    few = (3, draw.integer(6, 9), draw.choice([True, False]))
    for fmt in (*drawn_formats(draw), few, (2, draw.integer(2, 6), True)):
        numbers = numbers_of(fmt)
        what = f"a format with {described(fmt)}"
        got = _limits(student, expect, fmt, what)
        known, whole = set(numbers), 0
        while whole + 1 in known:
            whole += 1
        one = numbers.index(1.0)
        want = {
            "max": numbers[-1],
            "smallest_subnormal": numbers[1],
            "smallest_normal": numbers[2 ** fmt[1]],
            "eps": numbers[one + 1] - 1,
            "largest_consecutive_integer": whole,
        }
        for name in LIMITS:
            expect.equal(got[name], want[name], what=f"{name} of {what}")


@check("8.4.d", row="prediction", level="pass")
def test_limits_that_torch_knows(student, reference, draw, expect):
    """For the formats that torch has, the limits are what torch.finfo says; bounds are refused."""
    for dtype, fmt in (
        ("float64", (11, 52)),
        ("float32", (8, 23)),
        ("float16", (5, 10)),
        ("bfloat16", (8, 7)),
        ("float8_e5m2", (5, 2)),
        ("float8_e4m3fn", (4, 3, False)),
    ):
        want = reference.run("torch_limits", {"dtype": dtype}, stage="torch")
        got = _limits(student, expect, fmt, dtype)
        for name, value in want.items():
            expect.equal(got[name], value, what=f"{name} of {dtype}")
        expect.equal(
            got["largest_consecutive_integer"],
            2 ** (fmt[1] + 1),
            what=f"largest_consecutive_integer of {dtype}",
        )
    for mantissa in (52, draw.integer(1, 51)):
        # what is said of the largest number, which no float holds, is not looked at
        what = f"a format with {described((11, mantissa, False))}"
        got = _limits(student, expect, (11, mantissa, False), what)
        want = {
            "smallest_normal": 2.0**-1022,
            "smallest_subnormal": math.ldexp(1.0, -1022 - mantissa),
            "eps": 2.0**-mantissa,
            "largest_consecutive_integer": 2 ** (mantissa + 1),
        }
        for name, value in want.items():
            expect.equal(got[name], value, what=f"{name} of {what}")
    cases = {
        "1 exponent bit": (1, 3),
        "12 exponent bits": (12, 3),
        "no mantissa": (5, 0),
        "53 mantissa bits": (11, 53),
    }
    refusals(
        student, expect, "format_limits", [(f"for {why}", fmt, {}) for why, fmt in cases.items()]
    )


# 8.4.e ulp


@check("8.4.e", row="prediction", level="pass")
def test_spacing_is_the_gap_above(student, draw, expect):
    """From each number, and between numbers, the spacing is the gap to the next one."""
    for fmt in drawn_formats(draw):
        numbers = numbers_of(fmt)
        places = [0, 1, 2 ** fmt[1] - 1, 2 ** fmt[1]]
        places += [draw.integer(0, len(numbers) - 2) for _ in range(60)]
        places += [2 ** fmt[1] * k for k in range(1, len(numbers) // 2 ** fmt[1])]
        values, want = [], []
        for place in places:
            gap = numbers[place + 1] - numbers[place]
            values += [
                numbers[place],
                -numbers[place],
                numbers[place] + gap * draw.uniform(0.1, 0.9),
            ]
            want += [gap, gap, gap]
        # at the largest number there is no number above: the stretch it belongs to counts
        values.append(numbers[-1])
        want.append(last_gap(numbers, fmt))
        what = f"spacings of a format with {described(fmt)}"
        (got,) = arrays_of(student, expect, "ulp", [((np.array(values), *fmt), {})], [what])
        held(expect, got, np.array(want), what, np.array(values))


@check("8.4.e", row="prediction", level="pass")
def test_spacing_just_under_a_power_of_two(student, draw, expect):
    """A float64 just under a power of two still lies in the finer stretch, one outside has none."""
    powers = [2.0**k for k in (-100, -30, -12, -5, 5, 9, 12, 30, 100)]
    under = np.array([math.nextafter(power, 0) for power in powers])
    what = "values just under powers of two, float32"
    (got,) = arrays_of(student, expect, "ulp", [((under, 8, 23), {})], [what])
    held(expect, got, np.array(powers) * 2.0**-24, what, under)
    largest = 2.0**15 * (2 - 2.0**-10)
    values = [math.inf, -math.inf, math.nan, math.nextafter(largest, math.inf), -1e300, 5e-324]
    what = "infinity, NaN, values above the largest float16, and the smallest float64"
    (got,) = arrays_of(student, expect, "ulp", [((np.array(values), 5, 10), {})], [what])
    held(expect, got, np.array([math.nan] * 5 + [2.0**-24]), what, np.array(values))


@check("8.4.e", row="prediction", level="pass")
def test_spacing_as_numpy_has_it(student, draw, expect):
    """For float16 and float32 numbers the spacing is np.spacing; any container will do."""
    for dtype, bits, fmt in ((np.float16, np.uint16, (5, 10)), (np.float32, np.uint32, (8, 23))):
        top = np.array(np.finfo(dtype).max).view(bits)
        patterns = draw.rng.integers(0, int(top), 500).astype(bits)
        values = patterns.view(dtype)
        want = np.spacing(values).astype(np.float64)
        what = f"numbers of {dtype.__name__}"
        given = values.astype(np.float64)
        (got,) = arrays_of(student, expect, "ulp", [((given, *fmt), {})], [what])
        held(expect, got, want, what, given)
    kinds = {
        "a list of lists": [[1.0, 2.0], [3.0, 4.0]],
        "a transposed view": {"layout": "transposed", "data": np.array([[1.0, 2.0], [3.0, 4.0]])},
        "one value": {"layout": "no dimension", "data": np.array([1.0])},
        "no value": np.zeros((0, 2)),
    }
    calls = [((kind, 8, 7), {}) for kind in kinds.values()]
    got = arrays_of(student, expect, "ulp", calls, list(kinds))
    grid = np.array([[1.0, 2.0], [2.0, 4.0]]) * 2.0**-7
    for found, want, what in zip(got, (grid, grid, np.asarray(2.0**-7)), kinds, strict=False):
        held(expect, found, want, what)
    refusals(
        student, expect, "ulp", [(f"for {why}", ([1.0], *f), {}) for why, f in BAD_FORMATS.items()]
    )
