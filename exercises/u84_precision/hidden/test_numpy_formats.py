"""Hidden checks of unit 8.4, formats: truths by counting up the numbers of a format, and by torch.

Formats are drawn small enough to list all their numbers; the list is made by adding spacings, which
is another way than any that encodes or decodes.
"""

from __future__ import annotations

import math
from bisect import bisect_left

import numpy as np

from grader.checks import check

BAD_FORMATS = {
    "1 exponent bit": (1, 3),
    "9 exponent bits": (9, 3),
    "no mantissa": (5, 0),
    "24 mantissa bits": (8, 24),
}


def _call(student, expect, function, calls):
    """Return the answers to some calls of the NumPy stage; none may change its arguments."""
    wanted = [[list(arguments), dict(named)] for arguments, named in calls]
    answers = student.run("calls", {"function": function, "calls": wanted})
    whole = isinstance(answers, list) and len(answers) == len(calls)
    expect.that(whole and all(isinstance(a, dict) for a in answers), f"{function} did not answer.")
    for answer in answers:
        expect.that(answer.get("kept") is True, f"{function} changed its arguments.")
    return answers


def _array(expect, answer, shape, what, function):
    """Return an answer as a float64 array; it must be numbers of that shape."""
    raised = answer.get("raised")
    if raised:
        expect.unmet(f"{function} must not raise for {what}: {raised[0]}: {answer.get('message')}")
    value = answer.get("value")
    try:
        got = np.asarray(value)
        with np.errstate(invalid="ignore"):
            got = got.astype(np.float64) if got.dtype.kind in "iuf" or got.size == 0 else None
    except (TypeError, ValueError):
        got = None
    if got is None:
        expect.unmet(f"{function} must return numbers for {what}.", got=value)
    expect.equal(list(got.shape), list(shape), what=f"shape of {function} for {what}")
    return got


def _arrays(student, expect, function, calls, whats):
    """Return one array for each call; each must have the shape of its first argument."""
    answers = _call(student, expect, function, calls)
    arrays = []
    for (arguments, _), answer, what in zip(calls, answers, whats, strict=True):
        given = arguments[0]
        layout = given.get("layout") if isinstance(given, dict) else None
        data = given["data"] if isinstance(given, dict) else given
        shape = () if layout == "no dimension" else np.shape(data)
        arrays.append(_array(expect, answer, shape, what, function))
    return arrays


def _refused(student, expect, function, cases, error="ValueError"):
    """Expect each call to raise; `cases` are ``{why: (arguments, named)}``."""
    answers = _call(student, expect, function, list(cases.values()))
    for why, answer in zip(cases, answers, strict=True):
        raised = answer.get("raised") or []
        seen = None if error in raised else raised[0] if raised else answer.get("value")
        expect.that(error in raised, f"{function} must raise {error} for {why}.", seen)


def _numbers(exponent, mantissa, infinity):
    """Return all numbers of a format from 0 up, by adding the spacing again and again.

    The spacing is that of the subnormals for two stretches and doubles after each further one.
    """
    count = 2 ** (exponent + mantissa) - (2**mantissa if infinity else 1)
    spacing = 2.0 ** (2 - 2 ** (exponent - 1) - mantissa)
    numbers = [0.0]
    while len(numbers) < count:
        if len(numbers) > 2 * 2**mantissa and (len(numbers) - 1) % 2**mantissa == 0:
            spacing *= 2
        numbers.append(numbers[-1] + spacing)
    return numbers


def _last_gap(numbers, fmt):
    """Return the spacing at the largest number, which may be alone in its stretch."""
    alone = fmt[1] == 1 and not fmt[2]
    return (numbers[-1] - numbers[-2]) * (2 if alone else 1)


def _drawn(draw):
    """Return two formats that no library has, one without infinities."""
    return [
        (draw.integer(3, 5), draw.choice([4, 5, 6]), True),
        (draw.integer(3, 5), draw.choice([1, 2, 4, 5]), False),
    ]


def _name(exponent, mantissa, infinity):
    kind = "with" if infinity else "without"
    return f"{exponent} exponent and {mantissa} mantissa bits, {kind} infinities"


def _signed(numbers, exponent, mantissa, infinity):
    """Return what each bit pattern of a format means, the negative half after the positive."""
    half = 2 ** (exponent + mantissa)
    rest = half - len(numbers)
    positive = [*numbers, *([math.inf] if infinity else []), *([math.nan] * (rest - infinity))]
    return np.array([*positive, *(-x for x in positive)])


def _held(expect, got, want, what):
    """Compare float64 arrays by value, NaN and the sign of zero included; name the first place."""
    nan = np.isnan(want)
    wrong = (np.isnan(got) != nan) | (
        ~nan & ((got != want) | (np.signbit(got) != np.signbit(want)))
    )
    if wrong.any():
        place = np.flatnonzero(wrong.reshape(-1))[0]
        share = f"{int(wrong.sum())} of {wrong.size}"
        expect.equal(
            float(got.reshape(-1)[place]),
            float(want.reshape(-1)[place]),
            what=f"{what} ({share} differ; the first of them)",
        )
        expect.unmet(f"{what}: the sign of zero is not kept.")


# 8.4.a decode


@check("8.4.a", row="optimization_validity", level="pass")
def test_every_pattern_of_drawn_formats(student, draw, expect):
    """Every bit pattern of a format means the number that counting up by spacings gives."""
    for fmt in _drawn(draw):
        want = _signed(_numbers(*fmt), *fmt)
        order = np.array(draw.shuffled(range(len(want))))
        what = f"patterns of a format with {_name(*fmt)}"
        (got,) = _arrays(student, expect, "decode", [((order, *fmt), {})], [what])
        _held(expect, got, want[order], what)


@check("8.4.a", row="optimization_validity", level="pass")
def test_patterns_as_torch_reads_them(student, reference, draw, expect):
    """The patterns of float16, bfloat16 and both float8 formats are what torch reads in them."""
    for dtype, fmt in (
        ("float16", (5, 10)),
        ("bfloat16", (8, 7)),
        ("float8_e5m2", (5, 2)),
        ("float8_e4m3fn", (4, 3, False)),
    ):
        bits = np.arange(2 ** (1 + fmt[0] + fmt[1]), dtype=np.int64)
        case = {"dtype": dtype, "bits": bits}
        want = np.asarray(reference.run("torch_decode", case, stage="torch"))
        (got,) = _arrays(student, expect, "decode", [((bits, *fmt), {})], [dtype])
        _held(expect, got, want, f"patterns of {dtype}")
    bits = draw.rng.integers(0, 2**32, 2000)
    want = _float64(bits.astype(np.uint32))
    (got,) = _arrays(student, expect, "decode", [((bits, 8, 23), {})], ["float32"])
    _held(expect, got, want, "patterns of float32")


@check("8.4.a", row="optimization_validity", level="pass")
def test_patterns_in_any_container(student, draw, expect):
    """Lists, empty arrays, transposed ones and single patterns are decoded; others are refused."""
    rows = draw.rng.integers(0, 2**11, (3, 4))
    want = _signed(_numbers(5, 5, True), 5, 5, True)
    kinds = {
        "a list of lists": rows.tolist(),
        "a transposed view": {"layout": "transposed", "data": rows},
        "an array of small integers": rows.astype(np.uint16),
        "a reversed view": {"layout": "backwards", "data": rows[0]},
        "one pattern": {"layout": "no dimension", "data": rows[0, :1]},
        "no pattern": np.zeros((0, 3), dtype=np.int64),
    }
    truths = [want[rows], want[rows], want[rows], want[rows[0]], want[rows[0, 0]], np.zeros((0, 3))]
    calls = [((kind, 5, 5), {}) for kind in kinds.values()]
    for got, truth, what in zip(
        _arrays(student, expect, "decode", calls, list(kinds)), truths, kinds, strict=True
    ):
        _held(expect, got, np.asarray(truth), what)
    cases = {
        "a negative pattern": (([3, -1], 5, 5), {}),
        "a pattern with a bit too many": (([0, 2**11], 5, 5), {}),
        **{why: (([0, 1], *fmt), {}) for why, fmt in BAD_FORMATS.items()},
    }
    _refused(student, expect, "decode", cases)


# 8.4.b encode


def _nearest(numbers, magnitude):
    """Return the place of the nearest number, of the even one of two; exact in float64."""
    place = bisect_left(numbers, magnitude)
    if place == len(numbers):
        return place - 1
    if place == 0:
        return 0
    low, high = magnitude - numbers[place - 1], numbers[place] - magnitude
    if low == high:
        return place - place % 2
    return place if high < low else place - 1


def _around(draw, numbers, count=150):
    """Return magnitudes at, between and in the middle of numbers, and a hair from the middle."""
    values = []
    for _ in range(count):
        place = draw.integer(0, len(numbers) - 2)
        low, high = numbers[place], numbers[place + 1]
        middle = (low + high) / 2
        values += [low, middle, math.nextafter(middle, 0), math.nextafter(middle, math.inf)]
        values.append(low + (high - low) * draw.uniform(0.05, 0.95))
    return [*values, numbers[1] / 2, numbers[1] / 4, numbers[1], numbers[-1]]


@check("8.4.b", row="optimization_validity", level="pass")
def test_nearest_and_ties_to_even(student, draw, expect):
    """Each value becomes the nearest number, a tie the one with the even mantissa."""
    for fmt in _drawn(draw):
        numbers = _numbers(*fmt)
        values = _around(draw, numbers)
        signs = [draw.choice([1, -1]) for _ in values]
        half = 2 ** (fmt[0] + fmt[1])
        want = [
            _nearest(numbers, value) + (half if sign < 0 else 0)
            for value, sign in zip(values, signs, strict=True)
        ]
        given = np.array(values) * signs
        what = f"patterns of values, in a format with {_name(*fmt)}"
        (got,) = _arrays(student, expect, "encode", [((given, *fmt), {})], [what])
        _held(expect, got, np.array(want, dtype=np.float64), what)


@check("8.4.b", row="optimization_validity", level="pass")
def test_overflow_infinity_and_nan(student, draw, expect):
    """Beyond the largest number lie infinity, NaN or, on request, the largest number itself."""
    for fmt in _drawn(draw):
        exponent, mantissa, infinity = fmt
        numbers, half = _numbers(*fmt), 2 ** (exponent + mantissa)
        largest, spacing = numbers[-1], _last_gap(numbers, fmt)
        # what would follow has an even mantissa with infinities and an odd one without
        edge = largest + spacing / 2
        inside = [math.nextafter(edge, 0), largest] + ([] if infinity else [edge])
        outside = [math.nextafter(edge, math.inf), largest * 9, 1e300, math.inf]
        outside += [edge] if infinity else []
        values = np.array(inside + outside)
        for saturate in (False, True):
            named = {"saturate": saturate}
            both = np.array([values, -values])
            what = f"values at the upper end, with saturate={saturate}, {_name(*fmt)}"
            (got,) = _arrays(student, expect, "encode", [((both, *fmt), named)], [what])
            last, over = len(numbers) - 1, len(numbers) - (1 if saturate else 0)
            want = np.array([last] * len(inside) + [over] * len(outside), dtype=np.float64)
            if infinity or saturate:
                _held(expect, got, np.array([want, want + half]), what)
                continue
            # any NaN pattern is one; here there is one of each sign
            fine = np.isin(got[:, len(inside) :], [half - 1, 2 * half - 1]).all()
            expect.that(
                fine,
                "What overflows in a format without infinity must become NaN.",
                got[0, len(inside) :],
            )
            _held(
                expect, got[:, : len(inside)], np.array([want, want + half])[:, : len(inside)], what
            )
        (got,) = _arrays(
            student,
            expect,
            "encode",
            [((np.array([math.nan, 0.0, -0.0]), *fmt), {})],
            ["NaN and 0"],
        )
        meaning = _signed(numbers, *fmt)
        fine = 0 <= got[0] < 2 * half and got[0] == int(got[0]) and math.isnan(meaning[int(got[0])])
        expect.that(fine, "The pattern of NaN must be one that means NaN.", got[0])
        expect.equal([got[1], got[2]], [0, half], what="patterns of 0.0 and -0.0")


@check("8.4.b", row="optimization_validity", level="strong")
def test_rounded_once(student, draw, expect):
    """A float64 is rounded once: a hair above the middle goes up, float32 on the way or not."""
    for exponent, mantissa in ((8, 7), (5, draw.integer(6, 10)), (6, draw.integer(4, 12))):
        steps = [2 * draw.integer(0, 2 ** (mantissa - 1) - 1) for _ in range(20)]
        base = np.array([1 + step * 2.0**-mantissa for step in steps])
        hair = 2.0 ** -draw.integer(40, 50)
        above = base + 2.0 ** -(mantissa + 1) + hair
        codes = (2 ** (exponent - 1) - 1) * 2**mantissa + np.array(steps, dtype=np.float64)
        what = f"values a hair above a tie, {mantissa} mantissa bits"
        (got,) = _arrays(student, expect, "encode", [((above, exponent, mantissa), {})], [what])
        _held(expect, got, codes + 1, what)


def _float64(bits):
    """Return float32 bit patterns as float64, without a word about the NaNs that signal."""
    with np.errstate(invalid="ignore"):
        return bits.view(np.float32).astype(np.float64)


def _patterns(draw, count):
    """Return float32 bit patterns of every kind, ties of the usual formats among them."""
    bits = draw.rng.integers(0, 2**32, count, dtype=np.uint64)
    ties = draw.rng.integers(0, 2**16, count // 8, dtype=np.uint64) << np.uint64(16)
    half_ties = draw.rng.integers(0, 2**19, count // 8, dtype=np.uint64) << np.uint64(13)
    normal = draw.rng.standard_normal(count // 4).astype(np.float32)
    scaled = (normal * 10.0 ** draw.rng.integers(-9, 6, normal.size)).astype(np.float32)
    return np.concatenate(
        [
            bits,
            ties | np.uint64(0x8000),
            half_ties | np.uint64(0x1000),
            scaled.view(np.uint32).astype(np.uint64),
        ]
    ).astype(np.uint32)


@check("8.4.b", row="optimization_validity", level="strong")
def test_numbers_as_torch_rounds_them(student, reference, draw, expect):
    """Tens of thousands of float32 values round to every format as they do in torch."""
    bits = _patterns(draw, 8000)
    values = _float64(bits)
    for dtype, fmt, named in (
        ("float16", (5, 10), {}),
        ("bfloat16", (8, 7), {}),
        ("float8_e5m2", (5, 2), {}),
        ("float8_e4m3fn", (4, 3, False), {"saturate": True}),
    ):
        case = {"dtype": dtype, "values": {"layout": "bits of float32", "data": bits}}
        want = np.asarray(reference.run("torch_round", case, stage="torch"))
        (codes,) = _arrays(student, expect, "encode", [((values, *fmt), named)], [dtype])
        legal = ((codes >= 0) & (codes < 2 ** (1 + fmt[0] + fmt[1]))).all()
        expect.that(legal, f"Patterns of {dtype} must have {1 + fmt[0] + fmt[1]} bits.")
        # the patterns are read by torch, so that this check does not rest on decode
        case = {"dtype": dtype, "bits": codes.astype(np.int64)}
        got = np.asarray(reference.run("torch_decode", case, stage="torch"))
        keep = np.isfinite(values) if dtype == "float8_e4m3fn" else np.ones(values.shape, bool)
        # the sign of a NaN is nobody's business, and _held compares none
        _held(expect, got[keep], want[keep], f"values rounded to {dtype}")


@check("8.4.b", row="optimization_validity", level="pass")
def test_values_in_any_container(student, draw, expect):
    """Lists, no or single values, float32 and views are fine; bad formats are not."""
    numbers = _numbers(5, 5, True)
    rows = np.array([[draw.choice(numbers[:-1]) for _ in range(4)] for _ in range(3)])
    want = np.array([[numbers.index(x) for x in row] for row in rows], dtype=np.float64)
    kinds = {
        "a list of lists": rows.tolist(),
        "a transposed view": {"layout": "transposed", "data": rows},
        "a float32 array": rows.astype(np.float32),
        "a reversed view": {"layout": "backwards", "data": rows[0]},
        "one value": {"layout": "no dimension", "data": rows[0, :1]},
        "no value": np.zeros((2, 0)),
    }
    truths = [want, want, want, want[0], want[0, 0], np.zeros((2, 0))]
    calls = [((kind, 5, 5), {}) for kind in kinds.values()]
    for got, truth, what in zip(
        _arrays(student, expect, "encode", calls, list(kinds)), truths, kinds, strict=True
    ):
        _held(expect, got, np.asarray(truth), what)
    cases = {why: (([0.5, 1.0], *fmt), {}) for why, fmt in BAD_FORMATS.items()}
    _refused(student, expect, "encode", cases)


# 8.4.c round_bf16


def _bf16(student, expect, bits, what, layout="bits of float32"):
    given = {"layout": layout, "data": np.asarray(bits, dtype=np.uint32)}
    (got,) = _arrays(student, expect, "round_bf16", [((given,), {})], [what])
    return got


@check("8.4.c", row="optimization_validity", level="pass")
def test_bf16_ties_and_neighbours(student, draw, expect):
    """The upper half goes up above the middle, stays below it, and becomes even in the middle."""
    upper = draw.rng.integers(0x3000, 0x4F00, 400, dtype=np.int64)
    upper = upper | (draw.rng.integers(0, 2, 400) << 15)
    bits, want = [], []
    for high in [int(u) for u in upper]:
        for low, up in (
            (0, 0),
            (1, 0),
            (0x7FFF, 0),
            (0x8000, high % 2),
            (0x8001, 1),
            (0xFFFF, 1),
        ):
            bits.append(high << 16 | low)
            want.append((high + up) << 16)
    got = _bf16(student, expect, bits, "values around ties")
    truth = _float64(np.array(want, dtype=np.uint32))
    _held(expect, got, truth, "values around ties")


@check("8.4.c", row="optimization_validity", level="pass")
def test_bf16_nan_and_overflow(student, draw, expect):
    """A NaN stays one whatever its bits are, infinity stays, and what is too large becomes it."""
    payload = draw.integer(2, 0x7FFF)
    nans = [0x7F800001, 0x7FFFFFFF, 0xFFFFFFFF, 0xFF800001, 0x7FFF8000, 0x7F800000 | payload]
    got = _bf16(student, expect, nans, "NaNs")
    expect.that(
        np.isnan(got).all(), "A NaN must stay NaN: one became a number.", got[~np.isnan(got)]
    )
    ends = [0x7F800000, 0xFF800000, 0x7F7FFFFF, 0x7F7F8000, 0x7F7F7FFF, 0xFF7F8000]
    got = _bf16(student, expect, ends, "infinities and the largest values")
    largest = 2.0**127 * (2 - 2.0**-7)
    want = [math.inf, -math.inf, math.inf, math.inf, largest, -math.inf]
    _held(expect, got, np.array(want), "infinities and the largest values")


@check("8.4.c", row="optimization_validity", level="strong")
def test_bf16_as_torch_rounds_it(student, reference, draw, expect):
    """Two hundred thousand values of every size round bit for bit as torch rounds them."""
    bits = _patterns(draw, 134_000)
    case = {"dtype": "bfloat16", "values": {"layout": "bits of float32", "data": bits}}
    want = np.asarray(reference.run("torch_round", case, stage="torch"))
    got = _bf16(student, expect, bits, f"{len(bits)} values")
    _held(expect, got, want, f"{len(bits)} values")


@check("8.4.c", row="optimization_validity", level="pass")
def test_bf16_takes_float32_alone(student, draw, expect):
    """Views, single values and empty arrays are fine; float16, float64 and integers are refused."""
    numbers = [draw.integer(1, 0x7F7F) << 16 for _ in range(6)]
    got = _bf16(student, expect, numbers, "a strided view", "bits of float32, every second one")
    truth = _float64(np.array(numbers, dtype=np.uint32))
    _held(expect, got, truth, "a strided view")
    rows = np.array([[1.0, -0.0, 300.0], [2.5, 1e-30, -7.0]], dtype=np.float32)
    kinds = {
        "a transposed view": {"layout": "transposed", "data": rows},
        "one value": {"layout": "no dimension", "data": rows[0, :1]},
        "no value": np.zeros((0, 2), dtype=np.float32),
    }
    calls = [((kind,), {}) for kind in kinds.values()]
    got = _arrays(student, expect, "round_bf16", calls, list(kinds))
    exact = rows.copy()
    exact[1, 1] = np.uint32(np.float32(1e-30).view(np.uint32) + 0x8000 & 0xFFFF0000).view(
        np.float32
    )
    _held(expect, got[0], exact.astype(np.float64), "a transposed view")
    _held(expect, got[1], np.asarray(1.0), "one value")
    cases = {
        "a float64 array": ((np.ones(3),), {}),
        "a float16 array": ((np.ones(3, dtype=np.float16),), {}),
        "an array of integers": ((np.ones(3, dtype=np.int32),), {}),
    }
    _refused(student, expect, "round_bf16", cases)


# 8.4.d format_limits

LIMITS = ("max", "smallest_normal", "smallest_subnormal", "eps", "largest_consecutive_integer")


def _limits(student, expect, fmt, what):
    (answer,) = _call(student, expect, "format_limits", [(fmt, {})])
    raised = answer.get("raised")
    expect.that(not raised, f"format_limits must not raise for {what}.", raised and raised[0])
    expect.keys(answer["value"], LIMITS, what=f"the limits of {what}")
    return answer["value"]


@check("8.4.d", row="prediction", level="pass")
def test_limits_of_drawn_formats(student, draw, expect):
    """The limits are those of the list of all numbers of a format."""
    few = (3, draw.integer(6, 9), draw.choice([True, False]))
    for fmt in (*_drawn(draw), few, (2, draw.integer(2, 6), True)):
        numbers = _numbers(*fmt)
        what = f"a format with {_name(*fmt)}"
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
def test_limits_that_torch_knows(student, reference, expect):
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
    cases = {
        "1 exponent bit": (1, 3),
        "12 exponent bits": (12, 3),
        "no mantissa": (5, 0),
        "53 mantissa bits": (11, 53),
    }
    _refused(student, expect, "format_limits", {why: (fmt, {}) for why, fmt in cases.items()})


# 8.4.e ulp


@check("8.4.e", row="prediction", level="pass")
def test_spacing_is_the_gap_above(student, draw, expect):
    """From each number, and between numbers, the spacing is the gap to the next one."""
    for fmt in _drawn(draw):
        numbers = _numbers(*fmt)
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
        want.append(_last_gap(numbers, fmt))
        what = f"spacings of a format with {_name(*fmt)}"
        (got,) = _arrays(student, expect, "ulp", [((np.array(values), *fmt), {})], [what])
        _held(expect, got, np.array(want), what)


@check("8.4.e", row="prediction", level="pass")
def test_spacing_just_under_a_power_of_two(student, draw, expect):
    """A float64 just under a power of two still lies in the finer stretch, one outside has none."""
    powers = [2.0**k for k in (-100, -30, -12, -5, 5, 9, 12, 30, 100)]
    under = np.array([math.nextafter(power, 0) for power in powers])
    what = "values just under powers of two, float32"
    (got,) = _arrays(student, expect, "ulp", [((under, 8, 23), {})], [what])
    _held(expect, got, np.array(powers) * 2.0**-24, what)
    largest = 2.0**15 * (2 - 2.0**-10)
    values = [math.inf, -math.inf, math.nan, math.nextafter(largest, math.inf), -1e300, 5e-324]
    what = "infinity, NaN, values above the largest float16, and the smallest float64"
    (got,) = _arrays(student, expect, "ulp", [((np.array(values), 5, 10), {})], [what])
    _held(expect, got, np.array([math.nan] * 5 + [2.0**-24]), what)


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
        (got,) = _arrays(student, expect, "ulp", [((given, *fmt), {})], [what])
        _held(expect, got, want, what)
    kinds = {
        "a list of lists": [[1.0, 2.0], [3.0, 4.0]],
        "a transposed view": {"layout": "transposed", "data": np.array([[1.0, 2.0], [3.0, 4.0]])},
        "one value": {"layout": "no dimension", "data": np.array([1.0])},
        "no value": np.zeros((0, 2)),
    }
    calls = [((kind, 8, 7), {}) for kind in kinds.values()]
    got = _arrays(student, expect, "ulp", calls, list(kinds))
    grid = np.array([[1.0, 2.0], [2.0, 4.0]]) * 2.0**-7
    for found, want, what in zip(got, (grid, grid, np.asarray(2.0**-7)), kinds, strict=False):
        _held(expect, found, want, what)
    _refused(student, expect, "ulp", {why: (([1.0], *f), {}) for why, f in BAD_FORMATS.items()})


# 8.4.f survives


def _words(student, expect, cases):
    """Return the words for each ``(values, format)``, after a look at their number and kind."""
    answers = _call(student, expect, "survives", [((v, *fmt), {}) for v, fmt in cases])
    found = []
    for (values, _), answer in zip(cases, answers, strict=True):
        raised = answer.get("raised")
        expect.that(not raised, "survives must not raise here.", raised and raised[0])
        words = answer["value"]
        words = words.tolist() if isinstance(words, np.ndarray) else words
        fine = isinstance(words, list | tuple) and all(isinstance(word, str) for word in words)
        expect.that(fine, "survives must return a list of words.", words)
        expect.equal(len(words), len(values), what="number of words")
        found.append([str(word) for word in words])
    return found


def _told(expect, values, got, want, what):
    for value, word, truth in zip(values, got, want, strict=True):
        expect.equal(word, truth, what=f"what becomes of {float(value)!r}, {what}")


@check("8.4.f", row="fault_repair", level="pass")
def test_what_becomes_of_each_value(student, draw, expect):
    """Values at and around the ends of a drawn format are told apart."""
    for fmt in _drawn(draw):
        numbers = _numbers(*fmt)
        small, largest = numbers[1], numbers[-1]
        edge = largest + _last_gap(numbers, fmt) / 2
        inner = numbers[draw.integer(2, len(numbers) - 3)]
        cases = {
            0.0: "exact",
            inner: "exact",
            -inner: "exact",
            largest: "exact",
            small: "exact",
            math.nextafter(inner, math.inf): "rounded",
            -math.nextafter(inner, 0): "rounded",
            small / 2: "underflow",
            -small / 3: "underflow",
            5e-324: "underflow",
            math.nextafter(small / 2, 1): "rounded",
            small * 0.75: "rounded",
            math.nextafter(largest, math.inf): "rounded",
            math.nextafter(edge, 0): "rounded",
            edge: "overflow" if fmt[2] else "rounded",
            math.nextafter(edge, math.inf): "overflow",
            -largest * 2: "overflow",
            1e300: "overflow",
        }
        values = draw.shuffled(list(cases))
        (got,) = _words(student, expect, [(np.array(values), fmt)])
        _told(expect, values, got, [cases[v] for v in values], f"with {_name(*fmt)}")


@check("8.4.f", row="fault_repair", level="pass")
def test_infinity_and_nan_have_words(student, expect):
    """Infinity is exact where the format has one and overflow where not; NaN is NaN."""
    values = [math.inf, -math.inf, math.nan, 1.0]
    got = _words(student, expect, [(values, (5, 2)), (values, (4, 3, False)), ([], (5, 2))])
    _told(expect, values, got[0], ["exact", "exact", "nan", "exact"], "in float8_e5m2")
    _told(expect, values, got[1], ["overflow", "overflow", "nan", "exact"], "in float8_e4m3fn")
    _refused(
        student, expect, "survives", {why: (([1.0], *f), {}) for why, f in BAD_FORMATS.items()}
    )


@check("8.4.f", row="fault_repair", level="strong")
def test_words_for_values_that_torch_cast(student, reference, draw, expect):
    """For values of every size the words say what torch's cast to float16 and bfloat16 did."""
    values = (draw.rng.standard_normal(600) * 10.0 ** draw.rng.integers(-45, 39, 600)).astype(
        np.float32
    )
    values = np.concatenate([values, (2.0 ** draw.rng.integers(-30, 16, 60)).astype(np.float32)])
    before = values.astype(np.float64)
    for dtype, fmt in (("float16", (5, 10)), ("bfloat16", (8, 7))):
        case = {
            "dtype": dtype,
            "values": {"layout": "bits of float32", "data": values.view(np.uint32)},
        }
        after = np.asarray(reference.run("torch_round", case, stage="torch"))
        with np.errstate(invalid="ignore"):
            want = np.select(
                [before == after, np.isinf(after), after == 0],
                ["exact", "overflow", "underflow"],
                "rounded",
            )
        (got,) = _words(student, expect, [(before, fmt)])
        _told(expect, before, got, [str(word) for word in want], f"in {dtype}")
