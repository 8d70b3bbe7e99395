"""Hidden checks of unit 8.9, NumPy stage: many small cases and every edge, in one call of a worker.

Each truth is computed here from the definition, in integers or fractions where ties matter.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate, pairwise, product

from grader.checks import check
from grader.sandbox.limits import Limits

PHASES = ("data_wait", "transfer", "forward", "backward", "optimizer")
ROWS = (*PHASES, "residual")
BAD = {"NaN": math.nan, "infinite": math.inf, "minus infinity": -math.inf}


def _told(function, arguments, named):
    """Write a call down, short enough for a sentence."""
    words = [repr(value) for value in arguments]
    text = ", ".join(words + [f"{name}={value!r}" for name, value in named.items()])
    return f"{function}({text if len(text) < 160 else text[:159] + '…'})"


LIMITS = {"paired_bootstrap": Limits(wall=120.0, cpu=120.0)}
"""A bootstrap in plain Python is right, too, and takes its time."""


def _answers(student, expect, function, cases):
    """Return what each call ``(arguments, named)`` gave, after a look at what it left behind."""
    wanted = [[list(arguments), dict(named)] for arguments, named in cases]
    answers = student.run("calls", {"function": function, "calls": wanted}, LIMITS.get(function))
    whole = isinstance(answers, list) and len(answers) == len(cases)
    whole = whole and all(isinstance(one, dict) and ("value" in one or "raised" in one)
                          for one in answers)  # fmt: skip
    expect.that(whole, f"{function} did not answer every call.")
    for (arguments, named), answer in zip(cases, answers, strict=True):
        kept = answer.get("kept") is True
        expect.that(kept, f"{_told(function, arguments, named)} changed its arguments.")
    return answers


def _values(student, expect, function, cases):
    """Return a list of calls as text and their values; none of them may raise."""
    values = []
    for (arguments, named), answer in zip(
        cases, _answers(student, expect, function, cases), strict=True
    ):
        words = _told(function, arguments, named)
        kinds = answer.get("raised")
        kind = kinds[0] if isinstance(kinds, list) and kinds else "an error"
        raised = "" if "value" in answer else f"{kind}: {answer.get('message')}"
        expect.that(not raised, f"{words} must not raise.", raised or None)
        values.append((words, answer["value"]))
    return values


def _refusals(student, expect, function, cases, error="ValueError"):
    """Expect each call ``(why, arguments, named)`` to raise `error` or a subclass of it."""
    calls = [(arguments, named) for _, arguments, named in cases]
    for (why, _, _), answer in zip(cases, _answers(student, expect, function, calls), strict=True):
        raised = answer.get("raised")
        refused = isinstance(raised, list) and error in raised
        seen = None if refused else raised[:1] if isinstance(raised, list) else answer.get("value")
        expect.that(refused, f"{function} must raise {error} {why}.", seen)


def _exact(expect, got, want, words, unit="FLOP"):
    """Expect integers without rounding: the exact number, which a float may happen to be."""
    expect.keys(got, list(want), what=words)
    for key, size in want.items():
        expect.close(got[key], size, rtol=1e-12, what=f"{key} of {words}", unit=unit)
        number = got[key].item() if hasattr(got[key], "item") else got[key]
        rounded = f"{key} of {words} is rounded. Stay with Python integers."
        expect.that(number == size, rounded, number)


# 8.9.a self_total


def _event(name, start, end, thread=0):
    return {"name": name, "start": start, "end": end, "thread": thread}


def _nested(draw, names, threads, offset, unit):
    """Return a small trace on a grid so coarse that edges are shared and ranges are equal."""
    events = []

    def fill(low, high, depth, thread):
        while depth and draw.integer(0, 3):
            low = draw.integer(low, high)
            end = draw.integer(low, high)
            events.append(
                _event(draw.choice(names), offset + low * unit, offset + end * unit, thread)
            )
            fill(low, end, depth - 1, thread)
            low = end

    for thread in threads:
        fill(0, 9, 4, thread)
    return draw.shuffled(events)


def _swept(events):
    """Return the table by walking over every stretch between two boundaries."""
    table = {e["name"]: {"self": 0, "total": 0, "count": 0} for e in events}
    for event in events:
        table[event["name"]]["count"] += 1
    for thread in {e["thread"] for e in events}:
        mine = [e for e in events if e["thread"] == thread]
        edges = sorted({e["start"] for e in mine} | {e["end"] for e in mine})
        for low, high in pairwise(edges):
            covering = [e for e in mine if e["start"] <= low and e["end"] >= high]
            if covering:
                inner = min(enumerate(covering), key=lambda p: (p[1]["end"] - p[1]["start"], -p[0]))
                table[inner[1]["name"]]["self"] += high - low
            for name in {e["name"] for e in covering}:
                table[name]["total"] += high - low
    return table


def _trace_in_words(events):
    """Write a trace down."""
    ranges = [f"{e['name']} {e['start']}-{e['end']} on {e['thread']}" for e in events[:8]]
    return ", ".join(ranges) + (" …" if len(events) > len(ranges) else "")


@check("8.9.a", row="timing", level="pass")
def test_shared_edges_and_equal_ranges(student, draw, expect):
    """Any nesting gives the right table: shared edges, equal ranges, recursion, late clocks."""
    names = draw.shuffled([draw.name(4) for _ in range(3)])
    traces = [
        _nested(draw, names, threads, offset, unit)
        for _ in range(6)
        for threads in ((0,), (3, "loader"))
        # what a wall clock shows [us]; eighths and whole numbers, so that every sum is exact
        for offset, unit in ((0, 1), (0, 0.125), (1.7e12, 0.125), (1_700_000_000_000_000, 1))
    ]
    whole = _event("outer", 0, 9)
    first, last = draw.integer(1, 4), draw.integer(5, 8)
    for low, high in ((0, last), (first, 9), (0, 9)):
        inner, twin = _event(names[0], low, high), _event(names[1], low, high)
        traces += [[inner, whole], [whole, inner], [twin, inner, whole], [whole, inner, twin]]
    # a name inside itself, with another between
    traces.append([whole, _event(names[0], 0, 8), _event(names[1], 1, 7), _event(names[0], 2, 6)])
    traces.append([_event(names[0], 0, 4), _event(names[0], 4, 4), _event(names[0], 4, last)])
    for events, (_, got) in zip(
        traces,
        _values(student, expect, "self_total", [((events,), {}) for events in traces]),
        strict=True,
    ):
        want, words = _swept(events), _trace_in_words(events)
        expect.keys(got, list(want), what=f"the table of {words}")
        expect.equal(len(got), len(want), what=f"how many names are in the table of {words}")
        for key in ("count", "total", "self"):
            for name in want:
                expect.keys(got[name], [key], what=f"the row of {name!r} for {words}")
            column = {name: got[name][key] for name in want}
            right = {name: want[name][key] for name in want}
            unit = "" if key == "count" else "us"
            expect.close(
                column, right, rtol=1e-9, unit=unit, what=f"{key} of each name for {words}"
            )


@check("8.9.a", row="timing", level="pass")
def test_every_impossible_trace(student, draw, expect):
    """Crossing ranges are found however far apart they are listed, and bad times wherever."""
    t, thread = draw.integer(10, 99), draw.choice([0, 5, "loader"])
    good = [_event("root", 0, 90 * t, thread), _event("a", t, 4 * t, thread)]
    cases = []
    for key, (word, value) in product(("start", "end"), BAD.items()):
        bad = [*good, {**_event("b", 5 * t, 6 * t, thread), key: value}]
        cases.append((f"if the {key} of a range is {word}", (draw.shuffled(bad),), {}))
    for word, value in BAD.items():
        bad = [*good, _event("b", value, value, thread)]
        cases.append((f"if start and end of a range are {word}", (draw.shuffled(bad),), {}))
    cases.append(("if a range ends before it starts", ([*good, _event("b", 6 * t, 5 * t)],), {}))
    for word, extra in {
        "if a range leaves the one around it": [_event("b", 80 * t, 91 * t, thread)],
        "if a range crosses the one before it": [_event("b", 2 * t, 5 * t, thread)],
        "if a range crosses one of its own name": [_event("a", 2 * t, 5 * t, thread)],
        "if a range crosses the grandparent of the range before it": [
            _event("b", 5 * t, 50 * t, thread), _event("c", 6 * t, 9 * t, thread),
            _event("d", 10 * t, 60 * t, thread)],
        "if a range of many crosses another": [
            _event("b", 5 * t, 70 * t, thread), _event("c", 69 * t, 71 * t, thread),
            *(_event("x", (6 + i) * t, (7 + i) * t, thread) for i in range(40))],
    }.items():  # fmt: skip
        cases.append((word, (draw.shuffled([*good, *extra]),), {}))
    _refusals(student, expect, "self_total", cases)


# 8.9.b phase_table


def _loop(draw, steps, unit=1):
    """Return the events of a loop and the true columns.

    A step is a list of pairs, phase or None and length. A phase may be on another thread than its
    step, as a backward is.
    """
    events, columns, now = [], {name: [] for name in ROWS[1:]}, draw.integer(0, 500)
    for pieces in steps:
        now += draw.integer(0, 2) * 10
        begin = now
        for name, length in pieces:
            thread = draw.choice([0, 0, 4])
            events.append(_event(name or "aten::mm", now * unit, (now + length) * unit, thread))
            now += length
        events.append(_event("train_step", begin * unit, now * unit))
        events.append(_event("data_wait", begin * unit, (begin + 3) * unit))
        for row, column in columns.items():
            phase = None if row == "residual" else row
            column.append(sum(n for name, n in pieces if name == phase) * unit)
    return draw.shuffled(events), columns


def _pieces(draw):
    """Return one random step: phases that touch each other or the ends, repeat, or are missing."""
    pieces = [
        (draw.choice([*PHASES[1:], None]), draw.integer(1, 60)) for _ in range(draw.integer(1, 9))
    ]
    if draw.integer(0, 1):
        pieces += [(None, 1), (draw.choice(PHASES[1:]), 0), (None, draw.integer(1, 9))]
    return pieces


def _even(forward=0, backward=0, optimizer=0, rest=0):
    """Return one step of given lengths."""
    lengths = {"forward": forward, "backward": backward, "optimizer": optimizer, None: rest}
    return [(name, length) for name, length in lengths.items() if length]


def _quantile(values, q):
    """Return a quantile by its definition: linear between the two neighbouring ranks."""
    ordered, place = sorted(values), q * (len(values) - 1)
    low = math.floor(place)
    high = min(low + 1, len(values) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def _table(columns, waits, warmup):
    """Return the true table of columns of times."""
    kept = {name: values[warmup:] for name, values in {"data_wait": waits, **columns}.items()}
    whole = [sum(step) for step in zip(*kept.values(), strict=True)]
    p50 = {name: _quantile(kept[name], 0.5) for name in ROWS}
    return {
        "steps": len(whole),
        "slowest": max(PHASES, key=lambda name: p50[name]),
        "p50": p50,
        "p90": {name: _quantile(kept[name], 0.9) for name in ROWS},
        "share": {name: sum(kept[name]) / sum(whole) for name in ROWS},
        "iteration": {"p50": _quantile(whole, 0.5), "p90": _quantile(whole, 0.9)},
    }


@check("8.9.b", row="timing", level="pass")
def test_every_loop(student, draw, expect):
    """Every number of the table is right for any loop: ties, bursts, touching edges, warm-up."""
    size = draw.integer(50, 90)
    loops = []
    for count in (1, 2, 3, 4, 5, 7, 8, 11):
        for unit in (1, 0.125):
            waits = [draw.integer(0, 80) * unit for _ in range(count)]
            warmup = draw.integer(0, count - 1)
            loops.append(([_pieces(draw) for _ in range(count)], unit, waits, warmup))
    # the largest sum and the largest p90 are not the largest median
    bursts = [_even(size, size - 9, 5, 3) for _ in range(4)]
    bursts += [_even(size, 20 * size, 5, 3) for _ in range(3)]
    loops.append((bursts, 1, [1] * 7, 0))
    # of equal ones the first; the residual is no phase; a slow warm-up is in no share
    loops.append(([_even(9, size, size, 7)] * 5, 1, [3] * 5, 0))
    loops.append(([_even(9, size, 8, 7)] * 3, 1, [size] * 3, 0))
    loops.append(([_even(9, size, 8, 5 * size)] * 3, 1, [6] * 3, 1))
    loops.append(([_even(90 * size), *[_even(9, size, 8, 2)] * 4], 1, [70 * size, 2, 3, 2, 3], 1))
    cases, truths = [], []
    for steps, unit, waits, warmup in loops:
        events, columns = _loop(draw, steps, unit)
        cases.append(((events, waits, warmup) if warmup else (events, waits), {}))
        truths.append((f"{len(steps)} steps, {warmup} of them warm-up", columns, waits, warmup))
    values = _values(student, expect, "phase_table", cases)
    for (words, columns, waits, warmup), (_, got) in zip(truths, values, strict=True):
        want = _table(columns, waits, warmup)
        expect.keys(got, ["steps", "rows", "iteration", "slowest"], what=f"the table of {words}")
        expect.equal(got["steps"], want["steps"], what=f"steps of {words}")
        expect.keys(got["rows"], ROWS, what=f"rows of {words}")
        for name, key in product(ROWS, ("p50", "p90", "share")):
            expect.keys(got["rows"][name], [key], what=f"rows[{name!r}] of {words}")
            what = f"{key} of {name} for {words}"
            unit = "" if key == "share" else "us"
            # percentiles and sums of exact eighths are off by a few last bits at most
            row = got["rows"][name]
            expect.close(row[key], want[key][name], rtol=1e-9, atol=1e-12, what=what, unit=unit)
        for key in ("p50", "p90"):
            expect.keys(got["iteration"], [key], what=f"iteration of {words}")
            what = f"{key} of the iteration for {words}"
            expect.close(
                got["iteration"][key], want["iteration"][key], rtol=1e-9, what=what, unit="us"
            )
        expect.equal(got["slowest"], want["slowest"], what=f"slowest of {words}, by p50")


@check("8.9.b", row="timing", level="pass")
def test_every_incomplete_measurement(student, draw, expect):
    """A bad wait is refused wherever it stands, and a phase that its step does not contain."""
    phase, t = draw.choice(PHASES[1:]), draw.integer(5, 20)
    steps = [_event("train_step", a, a + 100) for a in (0, 150, 300)]
    events = [*steps, *(_event("forward", a + 10, a + 40) for a in (0, 150, 300))]
    waits = draw.integers(1, 50, 3)
    cases = [
        ("if a wait has no step", (events, [*waits, 5]), {}),
        ("if a step has no wait", (events, waits[:2]), {}),
        ("if there are no waits", (events, []), {}),
        ("if all steps are warm-up", (events, waits, 3), {}),
        ("if more than all steps are warm-up", (events, waits), {"warmup": 4}),
        ("if there is no step", ([], []), {}),
        ("if there is no step but a wait", ([], [5]), {}),
    ]
    for index, warmup in product(range(3), (0, 1)):
        for word, value in (("negative", -t), ("NaN", math.nan), ("minus infinity", -math.inf)):
            bad = [*waits[:index], value, *waits[index + 1 :]]
            words = f"if wait {index} is {word}, with {warmup} steps of warm-up"
            cases.append((words, (events, bad, warmup), {}))
    for word, low, high in (
        ("ends after its step", 100 - t, 100 + t), ("begins before its step", 150 - t, 150 + t),
        ("lies between two steps", 100 + t, 101 + t), ("reaches over two steps", 90, 160),
        ("begins before the first step", -t, t), ("ends after the last step", 399, 400 + t),
        ("lies after the last step", 401, 401 + t), ("contains its step", 149, 251),
    ):  # fmt: skip
        stray = draw.shuffled([*events, _event(phase, low, high)])
        cases.append((f"if a phase {word}", (stray, waits), {}))
        cases.append((f"if a phase {word}, in a warm-up of 2", (stray, waits, 2), {}))
    _refusals(student, expect, "phase_table", cases)


# 8.9.c training_flops


def _training(matmuls, attention=0, recompute="none", first=True):
    """Return the step's FLOPs, one backward product at a time."""
    sizes = [2 * math.prod(sizes) for sizes in matmuls]
    forward = sum(sizes) + attention
    gradients = [*sizes, *(sizes if first else sizes[1:]), attention, attention]
    again = {"none": 0, "attention": attention, "full": forward}[recompute]
    return {
        "forward": forward,
        "backward": sum(gradients),
        "model": forward + sum(gradients),
        "recomputed": again,
        "hardware": forward + sum(gradients) + again,
    }


@check("8.9.c", row="prediction", level="pass")
def test_every_combination_exactly(student, draw, expect):
    """The FLOPs are exact integers for any products, however large, and any choice."""
    cases, truths = [], []
    for top in (9, 5000, 3 * 10**8):  # the products of the last pass 1e24
        for count, first, word in product(
            (0, 1, 2, 4), (True, False), ("none", "attention", "full")
        ):
            matmuls = [draw.integers(top // 2, top, 3) for _ in range(count)]
            attention = draw.choice([0, draw.integer(1, top), top**2 * draw.integer(1, top)])
            named = {"recompute": word} if first else {"recompute": word,
                                                       "first_input_needs_grad": False}  # fmt: skip
            cases.append(((matmuls, attention), named))
            truths.append(_training(matmuls, attention, word, first))
    matmuls = [draw.integers(0, 1, 3), *(draw.integers(1, 9, 3) for _ in range(2))]
    cases.append(((matmuls,), {}))
    truths.append(_training(matmuls))
    values = _values(student, expect, "training_flops", cases)
    for (words, got), want in zip(values, truths, strict=True):
        _exact(expect, got, want, words)


@check("8.9.c", row="prediction", level="pass")
def test_sizes_that_cannot_be(student, draw, expect):
    """A negative size is refused wherever it stands, also beside a second one or a zero."""
    good = [draw.integers(1, 9, 3) for _ in range(3)]
    cases = []
    for index, place in product(range(3), range(3)):
        bad = [list(sizes) for sizes in good]
        bad[index][place] *= -1
        cases.append((f"if size {place} of product {index} is negative", (bad,), {}))
        bad = [list(sizes) for sizes in bad]
        bad[index][place - 1] *= -1
        cases.append((f"if two sizes of product {index} are negative", (bad,), {}))
        bad = [list(sizes) for sizes in bad]
        bad[index][place - 1] = 0
        cases.append((f"if a size of product {index} is negative and one is 0", (bad,), {}))
    for matmuls, word in product((good, []), ("none", "attention", "full")):
        cases.append(("if the attention cost is negative", (matmuls, -1, word), {}))
    for matmuls, word in product((good, []), ("some", "", "layers")):
        cases.append((f"if recompute is {word!r}", (matmuls, 0, word), {}))
    _refusals(student, expect, "training_flops", cases)


# 8.9.d transformer_step_flops


def _transformer(sizes, attention="full", recompute="none"):
    """Return the step's FLOPs, product by product."""
    L, d, T, B, V = sizes
    tokens = B * T
    block = [(tokens, d, 3 * d), (tokens, d, d), (tokens, d, 4 * d), (tokens, 4 * d, d)]
    scores = Fraction({"full": 2, "causal": 1, "none": 0}[attention], 2) * L * 4 * B * T * T * d
    head, blocks = 2 * math.prod((tokens, d, V)), L * sum(2 * math.prod(p) for p in block)
    forward = int(blocks + scores + head)
    again = int({"none": 0, "attention": scores, "full": blocks + scores}[recompute])
    return {
        "forward": forward, "attention": int(scores), "head": head, "backward": 2 * forward,
        "model": 3 * forward, "recomputed": again, "hardware": 3 * forward + again,
    }  # fmt: skip


@check("8.9.d", row="prediction", level="pass")
def test_every_transformer_exactly(student, draw, expect):
    """All conventions and all recomputations, exactly, without an output layer and beyond int64."""
    words = {"attention": ("full", "causal", "none"), "recompute": ("none", "attention", "full")}
    cases = []
    for attention, recompute in product(*words.values()):
        for sizes in (
            draw.integers(1, 60, 5),
            [*draw.integers(1, 60, 4), 0],
            [draw.integer(1, 60), *draw.integers(10**5, 10**6, 4)],
            [draw.integer(0, 1) * size for size in draw.integers(1, 9, 5)],
        ):
            cases.append((sizes, {"attention": attention, "recompute": recompute}))
            cases.append(((*sizes, attention, recompute), {}))
    sizes = draw.integers(2, 30, 5)
    cases += [(sizes, {}), (sizes, {"attention": "causal"}), (sizes, {"recompute": "full"})]
    values = _values(student, expect, "transformer_step_flops", cases)
    for (arguments, named), (told, got) in zip(cases, values, strict=True):
        _exact(expect, got, _transformer(arguments[:5], *arguments[5:], **named), told)


@check("8.9.d", row="prediction", level="pass")
def test_transformers_that_cannot_be(student, draw, expect):
    """A negative size and an unknown word are refused, each of them."""
    good = draw.integers(1, 9, 5)
    cases = []
    for index, name in enumerate("LdTBV"):
        bad = [*good]
        bad[index] *= -1
        cases.append((f"if {name} is negative", bad, {}))
        other = [*bad]
        other[index - 1] *= -1
        cases.append((f"if {name} and another size are negative", other, {}))
        other = [*bad]
        other[index - 1] = 0
        cases.append((f"if {name} is negative and another size is 0", other, {}))
    for word in ("flash", "", "half"):
        cases.append((f"if attention is {word!r}", good, {"attention": word}))
    for word, attention in product(("some", "", "causal"), ("full", "none")):
        named = {"attention": attention, "recompute": word}
        cases.append((f"if recompute is {word!r}", good, named))
    _refusals(student, expect, "transformer_step_flops", cases)


# 8.9.e paired_bootstrap


VERDICT_KEYS = ("ratio", "low", "high", "verdict")


def _pairs(draw, ratios):
    """Return times of given ratios, in any order; powers of two keep the ratios exact."""
    ratios = draw.shuffled(ratios)
    b = [2.0 ** draw.integer(-12, -4) for _ in ratios]
    return [ratio * time for ratio, time in zip(ratios, b, strict=True)], b


def _verdict(count, low, high):
    """Return the first verdict that holds for an interval."""
    if count < 20:
        return "inconclusive"
    if low > 1.02:
        return "gain"
    if high < 1 / 1.02:
        return "slower"
    return "null" if low >= 1 / 1.05 and high <= 1.05 else "inconclusive"


@check("8.9.e", row="optimization_validity", level="pass")
def test_intervals_on_both_sides_of_each_line(student, draw, expect):
    """Where the interval is known without drawing, ratio, interval and verdict are right."""
    near = 1e-6
    ends = [
        (r * (1 + sign * near), r * (1 + sign * near))
        for r in (1.02, 1 / 1.02, 1.05, 1 / 1.05)
        for sign in (-1, 1)
    ]
    ends += [(1.0, 1.0), (1.03, 1.04), (1.021, 2.0), (1.019, 2.0), (1.019, 1.049), (0.96, 0.97)]
    ends += [(0.5, 0.9803), (0.5, 0.9805), (0.9525, 1.0), (0.951, 1.0), (0.953, 1.051)]
    ends += [(0.9525, 1.0499), (0.97, 0.9803), (1.0, 1.0501), (0.4, 0.979), (0.9803, 0.9807)]
    cases, truths = [], []
    for count, (low, high) in product((21, 41), ends):
        # one ratio more of one end than of the other: a drawn median is either, each with a
        # probability above 0.4, so that the percentiles 0.5 and 99.5 of any draws are the two ends
        most = (count + 1) // 2
        ratios = [low] * most + [high] * (count - most)
        cases.append(((*_pairs(draw, ratios), draw.integer(0, 10**6)), {}))
        truths.append((count, low, low, high))
    for count in (1, 2, 3, 4, 5, 12, 15, 18, 19, 20):
        for low, high in ((1.5, 1.5), (0.7, 0.7), (1.0, 1.0), (1.1, 1.3)):
            # few pairs: each end is the drawn median with a probability above 0.04
            more = [low + (high - low) * 2.0**-i for i in range(1, max(count - 1, 1))]
            ratios = ([low, *more, high] if count > 1 else [low])[:count]
            if count > 5:
                ratios = [low] * (count // 2) + [high] * (count - count // 2)
            cases.append(((*_pairs(draw, ratios), draw.integer(0, 10**6)), {}))
            ordered = sorted(ratios)
            middle = (ordered[(count - 1) // 2] + ordered[count // 2]) / 2
            truths.append((count, middle, ordered[0], ordered[-1]))
    cases += cases[:3]
    answers = _answers(student, expect, "paired_bootstrap", cases)
    quiet = all(answer.get("quiet") is True for answer in answers)
    expect.that(quiet, "NumPy's global random state was changed. Use a generator of your own.")
    values = [answer.get("value") for answer in answers]
    for got, (count, middle, low, high) in zip(values, truths, strict=False):
        words = f"{count} pairs with ratios from {low:.7g} to {high:.7g}"
        expect.keys(got, VERDICT_KEYS, what=f"the result for {words}")
        expect.close(got["ratio"], middle, rtol=1e-12, what=f"ratio of {words}")
        expect.close(got["low"], low, rtol=1e-12, what=f"low of {words}")
        expect.close(got["high"], high, rtol=1e-12, what=f"high of {words}")
        expect.equal(got["verdict"], _verdict(count, low, high), what=f"verdict on {words}")
    same = values[-3:] == values[:3]
    expect.that(same, "The same arguments gave another answer the second time.")


@check("8.9.e", row="optimization_validity", level="pass")
def test_interval_of_many_seeds(student, draw, expect):
    """Over many seeds the ends fall where those of a 99 % interval of 1000 or more draws do."""
    # 53 different ratios, dense below the median and wide above it. A drawn median is at most the
    # 18th with probability 0.80 %, at most the 17th with 0.33 %; the same holds from above. The
    # 0.5 percentile of N drawn medians is thus at or below the 18th when at least 0.005 N of them
    # are: with probability 0.81 for N = 1000, 0.92 for 2000, 1 for many; for 98 % it is 0.18, 0.13
    # and 0, for 200 draws 0.47. It is at or below the 17th with probability 0.24 for 1000 draws at
    # most, for a 99.5 % interval 0.4 or more. 120 ends are 5 standard deviations from each line.
    count, seeds = 53, 60
    ratios = [0.9 + 0.001 * i for i in range(27)] + [0.927 * 1.03**i for i in range(26)]
    a, b = _pairs(draw, ratios)
    start = draw.integer(0, 10**6)
    cases = [((a, b, start + i), {}) for i in range(seeds)]
    values = _values(student, expect, "paired_bootstrap", cases)
    reached = {17: 0, 18: 0}
    for words, got in values:
        expect.keys(got, VERDICT_KEYS, what=f"the result of {words}")
        expect.close(got["ratio"], ratios[26], rtol=1e-12, what=f"ratio of {words}")
        expect.between(got["low"], ratios[0], ratios[26], what=f"low of {words}")
        expect.between(got["high"], ratios[26], ratios[-1], what=f"high of {words}")
        for rank in reached:
            line = (ratios[rank - 1] + ratios[rank]) / 2
            reached[rank] += got["low"] < line
            line = (ratios[count - rank] + ratios[count - rank - 1]) / 2
            reached[rank] += got["high"] > line
    share = {rank: times / (2 * seeds) for rank, times in reached.items()}
    expect.that(share[18] > 0.63, "Over 60 seeds the interval is too often narrower than 99 %, "
                "or made from too few draws.", share[18])  # fmt: skip
    expect.that(share[17] < 0.45, "Over 60 seeds the interval is too often wider than 99 %, "
                "or made from too few draws.", share[17])  # fmt: skip


@check("8.9.e", row="optimization_validity", level="pass")
def test_a_bad_time_anywhere(student, draw, expect):
    """A time that is not finite and positive is refused, in either list, wherever it stands."""
    good = [1.0 + 0.01 * draw.integer(0, 9) for _ in range(draw.integer(20, 30))]
    cases = [("if there are no times", ([], [], 0), {})]
    for a, b in ((good, good[1:]), (good[1:], good), (good, []), ([], good), (good, [*good, 1.0])):
        words = f"if there are {len(a)} old and {len(b)} new times"
        cases.append((words, (a, b, 1), {}))
    bad = {**BAD, "zero": 0.0, "negative": -1.0}
    for (word, value), index, new in product(bad.items(), (0, len(good) // 2, -1), (True, False)):
        spoiled = [*good]
        spoiled[index] = value
        words = f"if {'a new' if new else 'an old'} time, number {index}, is {word}"
        cases.append((words, (good, spoiled, 2) if new else (spoiled, good, 2), {}))
    for word, value in bad.items():
        cases.append(
            (f"if both times of a pair are {word}", ([value, *good], [value, *good], 3), {})
        )
    _refusals(student, expect, "paired_bootstrap", cases)


# 8.9.f amdahl


@check("8.9.f", row="optimization_validity", level="pass")
def test_amdahl_to_the_ends(student, draw, expect):
    """Nothing, all, nearly all; infinitely fast, unchanged, slower: the speed-up is exact."""
    fractions = [0, 0.0, 1, 1.0, 0.5, 1 - 2.0**-30, 1 - 2.0**-20, 2.0**-30, 1e-300]
    fractions += [draw.uniform(0, 1) for _ in range(6)]
    speedups = [math.inf, 1, 1.0, 2, 1e-3, 0.5, 1e9, 1e30, draw.uniform(0.1, 1), draw.uniform(1, 9)]
    cases = [(pair, {}) for pair in product(fractions, speedups)]
    values = _values(student, expect, "amdahl", cases)
    for ((fraction, speedup), _), (words, got) in zip(cases, values, strict=True):
        rest = 0 if speedup == math.inf else Fraction(fraction) / Fraction(speedup)
        left = 1 - Fraction(fraction) + rest
        want = float(1 / left) if left else math.inf
        # 1 - f (1 - 1 / s) loses the digits that cancel, some 2e-16 of 1
        lost = 1e-15 * want if math.isfinite(want) else 0
        if lost < 0.01:
            expect.close(got, want, rtol=1e-9 + lost, what=words)
    bad = [*BAD.values(), -2, -0.5, 1.5, -1e-9, 1 + 1e-9, 2]
    refused = [(fraction, speedup) for fraction in bad for speedup in (2, math.inf)]
    for fraction in (0, 0.5, 1):
        refused += [(fraction, s) for s in (math.nan, -math.inf, -2, -0.5, -1e-9, 0, 0.0)]
    _refusals(student, expect, "amdahl", [(f"for {pair}", pair, {}) for pair in refused])


# 8.9.g rank_targets


def _gains(phases, speedup, overlapped):
    """Return the exact gain of each phase, math.inf when no time is left."""
    faster = Fraction(0) if speedup == math.inf else 1 / Fraction(speedup)

    def iteration(changed):
        times = {n: Fraction(t) * (faster if n == changed else 1) for n, t in phases.items()}
        step = sum(t for n, t in times.items() if n not in overlapped)
        return max([step, *(times[n] for n in overlapped)])

    then = {name: iteration(name) for name in phases}
    return {name: iteration(None) / time if time else math.inf for name, time in then.items()}


@check("8.9.g", row="optimization_validity", level="pass")
def test_every_ranking(student, draw, expect):
    """Any phases, several of them hidden, faster or slower: gains and order, ties as given."""
    cases = []
    for speedup in (2, 8, math.inf, 0.5, 0.125, 1, 4.0, 3):
        for count in (1, 2, 3, 4, 5):
            names = draw.shuffled(["data_wait", "transfer", "forward", "backward", "optimizer"])
            # whole numbers and a few values only, so that ties are exact and frequent
            top = draw.choice([3, 60])
            phases = {name: draw.integer(0, top) for name in names[:count]}
            phases[draw.choice(names[:count])] = draw.integer(1, 2 * top)
            for most in (0, 1, count):
                hidden = draw.shuffled(names[:count])[: draw.integer(0, most)]
                cases.append(((phases, speedup, hidden) if hidden else (phases, speedup), {}))
    # two workers beside a step, and one that becomes the limit when the step gets faster
    t = draw.integer(2, 9)
    cases.append((({"a": 6 * t, "b": 5 * t, "step": 8 * t}, 2, ["a", "b"]), {}))
    cases.append((({"loader": 7 * t, "forward": 2 * t, "backward": 6 * t}, 4, ["loader"]), {}))
    values = _values(student, expect, "rank_targets", cases)
    for (arguments, _), (words, got) in zip(cases, values, strict=True):
        phases, speedup, hidden = (*arguments, ())[:3]
        want = _gains(phases, speedup, hidden)
        expect.equal(
            len(got) if isinstance(got, list) else got, len(want), what=f"pairs of {words}"
        )
        for pair in got:
            fine = isinstance(pair, list | tuple) and len(pair) == 2 and isinstance(pair[0], str)
            expect.that(fine, "Each entry must be a pair (name, gain).", None if fine else pair)
        expect.equal(sorted(name for name, _ in got), sorted(want), what=f"names of {words}")
        expect.close({name: gain for name, gain in got},  # noqa: C416 - pairs may be lists
                     {name: float(gain) for name, gain in want.items()},
                     rtol=1e-9, what=f"gains of {words}")  # fmt: skip
        # with a speed-up of 1 or 3 rounding may part what is equal in fractions
        if speedup not in (1, 3):
            order = sorted(want, key=lambda name: -want[name])
            expect.equal([name for name, _ in got], order, what=f"order of {words}")


@check("8.9.g", row="optimization_validity", level="pass")
def test_phases_that_cannot_be(student, draw, expect):
    """A bad time in any phase, a bad speed-up and an unknown hidden phase are refused."""
    good = {name: draw.integer(1, 50) for name in ("data_wait", "forward", "backward")}
    cases = []
    for speedup, hidden in product((0, -2, -0.5, math.nan, -math.inf), ([], ["data_wait"])):
        cases.append((f"for a speed-up of {speedup}", (good, speedup, hidden), {}))
    for name, hidden in product(good, ([], ["data_wait"])):
        for word, value in (("negative", -1), ("NaN", math.nan), ("minus infinity", -math.inf)):
            words = f"if {name} is {word}, with {hidden or 'nothing'} hidden"
            cases.append((words, ({**good, name: value}, 2, hidden), {}))
    for hidden in ([], ["data_wait"], list(good)):
        cases.append(("if all times are 0", (dict.fromkeys(good, 0), 2, hidden), {}))
    for hidden in (["loader"], ["data_wait", "loader"]):
        cases.append(("if a hidden phase is unknown", (good, 2, hidden), {}))
    _refusals(student, expect, "rank_targets", cases)


# 8.9.h diagnose


SIGNS = {"input": "data_wait", "transfer": "copies", "launch": "launches", "sync": "syncs",
         "compute": "flops", "memory": "bytes"}  # fmt: skip


def _causes(case, idle):
    """Return the candidates in their order, with their seconds."""
    if idle:
        launch = max(case["launches"] * case["launch_cost"] - case["busy"], 0)
        return {"input": case["data_wait"], "transfer": case["copies"], "launch": launch,
                "sync": case["syncs"] * case["sync_gap"]}  # fmt: skip
    return {
        "compute": case["flops"] / case["peak_flops"],
        "memory": case["bytes"] / case["peak_bandwidth"],
    }


def _device(draw, idle):
    """Return measurements on a grid of powers of two, so that products and ties are exact."""
    wall = 2.0 ** draw.integer(-9, 2)
    part = wall / 64
    launches = draw.choice([0, 64, 256, 1024])
    return {
        "wall": wall, "busy": wall * (1 - idle),
        "data_wait": part * draw.integer(0, 4), "copies": part * draw.integer(0, 4),
        "launches": launches, "launch_cost": part / 256 * draw.integer(0, 80),
        "syncs": draw.integer(0, 4), "sync_gap": part * draw.integer(0, 2),
        "flops": 2.0**30 * draw.integer(0, 4), "bytes": 2.0**20 * draw.integer(0, 4),
        "peak_flops": 2.0**40, "peak_bandwidth": 2.0**30,
    }  # fmt: skip


@check("8.9.h", row="timing", level="pass")
def test_every_diagnosis(student, draw, expect):
    """From 20 % idle on the largest cause is named, below it the roofline; ties take the first."""
    cases, truths = [], []
    # exactly 20 % is left out: it is a matter of rounding
    for idle in (0, 0.05, 0.1, 0.19, 0.2 - 1e-9, 0.2 + 1e-9, 0.21, 0.25, 0.3, 0.39, 0.5, 0.75, 1):
        for _ in range(8):
            case = _device(draw, idle)
            causes = _causes(case, idle >= 0.2)
            while idle >= 0.2 and not max(causes.values()):
                case["syncs"], case["sync_gap"] = draw.integer(1, 4), case["wall"] / 64
                causes = _causes(case, True)
            cases.append(((case,), {}))
            truths.append((max(causes, key=lambda word: causes[word]), max(causes.values()), case))
    values = _values(student, expect, "diagnose", cases)
    for (bound, seconds, case), (words, got) in zip(truths, values, strict=True):
        expect.keys(got, ["bound", "reason", "utilisation", "seconds"], what=f"result of {words}")
        expect.equal(got["bound"], bound, what=f"bound of {words}")
        near = 1e-12 * case["wall"]
        expect.close(got["seconds"], seconds, rtol=1e-9, atol=near, unit="s",
                     what=f"seconds of {words}")  # fmt: skip
        expect.close(got["utilisation"], case["busy"] / case["wall"], rtol=1e-9, atol=1e-12,
                     what=f"utilisation of {words}")  # fmt: skip
        reason = got["reason"] if isinstance(got["reason"], str) else ""
        named = [name for name in SIGNS.values() if name in reason]
        expect.that(
            named == [SIGNS[bound]],
            f"The reason must name {SIGNS[bound]} and no other measurement that could decide.",
            None if named == [SIGNS[bound]] else got["reason"],
        )


@check("8.9.h", row="timing", level="pass")
def test_every_measurement_is_looked_at(student, draw, expect):
    """Each of the twelve is missed when it is missing, and refused when it is negative or NaN."""
    cases, missing = [], []
    for state, idle in (("idle", 0.5), ("busy", 0.125)):
        good = {**_device(draw, idle), "data_wait": 0.01, "launches": 70, "syncs": 2}
        good |= {"copies": 0.02, "launch_cost": 1e-5, "sync_gap": 1e-4, "flops": 1e9, "bytes": 1e6}
        for name in good:
            bad = {key: value for key, value in good.items() if key != name}
            missing.append((f"if {name} is missing on {state} device", (bad,), {}))
            for word, value in (("negative", -good[name]), ("NaN", math.nan),
                                ("minus infinity", -math.inf)):  # fmt: skip
                words = f"if {name} is {word} on an {state} device"
                cases.append((words, ({**good, name: value},), {}))
        for more in (1.001, 4):
            bad = {**good, "busy": good["wall"] * more}
            cases.append(("if busy is longer than wall", (bad,), {}))
        silent = {"data_wait": 0, "copies": 0, "launches": 0, "syncs": 0}
        if state == "idle":
            covered = {"launches": 64, "launch_cost": good["busy"] / 64, "syncs": 0}
            cases.append(("if nothing explains the idle device", ({**good, **silent},), {}))
            cases.append(("if an idle device has no cause but launches that it covers",
                          ({**good, **silent, **covered},), {}))  # fmt: skip
    _refusals(student, expect, "diagnose", cases)
    _refusals(student, expect, "diagnose", missing, error="KeyError")


# 8.9.i host_clock_table


def _clocks(phases, sync_after, steps):
    """Return the host times of the last step, each wait from the whole history of the stream.

    Work ends when the last of its idle starts is over and everything handed over since is done:
    the latest ``launch end + sum of the work from there on``.
    """
    handed, now, host = [], 0, {}
    for phase in [*phases] * steps:
        begin = now
        now += phase["launch"]
        handed.append((now, phase["device"]))
        if phase["blocking"] or phase["name"] in sync_after:
            later = accumulate(work for _, work in reversed(handed))
            ends = [end + work for (end, _), work in zip(reversed(handed), later, strict=True)]
            now = max(now, *ends)
        host[phase["name"]] = now - begin
    return host


def _phases(draw, unit):
    """Return random phases on a grid, some of them blocking, some without launch or work."""
    names = draw.shuffled(["transfer", "forward", "backward", "optimizer"])
    top = draw.choice([2, 40])
    return [
        {"name": name, "launch": draw.integer(0, draw.choice([3, 40])) * unit,
         "device": draw.integer(0, top) * unit, "blocking": draw.integer(0, 3) == 0}
        for name in names[: draw.integer(1, 4)]
    ]  # fmt: skip


@check("8.9.i", row="timing", level="pass")
def test_every_table_of_a_host_clock(student, draw, expect):
    """Any phases, any synchronisation, any number of steps: host times, blame and ties."""
    cases = []
    for unit, steps in product((1, 0.125), (1, 2, 3, 4, 7, None)):
        for _ in range(6):
            phases = _phases(draw, unit)
            syncs = [phase["name"] for phase in phases if draw.integer(0, 2) == 0]
            named = {} if steps is None else {"steps": steps}
            cases.append(((phases, syncs) if syncs else (phases,), named))
    # a host that is slower than the device, which waits for it again and again
    slow = [{"name": name, "launch": draw.integer(20, 30), "device": draw.integer(1, 5),
             "blocking": False} for name in ("forward", "backward", "optimizer")]  # fmt: skip
    cases += [((slow, ["optimizer"]), {"steps": 4}), ((slow, ["backward"]), {})]
    values = _values(student, expect, "host_clock_table", cases)
    for (arguments, named), (words, got) in zip(cases, values, strict=True):
        phases, syncs = (*arguments, ())[:2]
        host = _clocks(phases, syncs, named.get("steps", 3))
        device = {phase["name"]: phase["device"] for phase in phases}
        expect.keys(got, ["host", "device", "blamed", "slowest"], what=f"the result of {words}")
        expect.close(got["host"], host, rtol=1e-9, what=f"host times of {words}", unit="us")
        expect.close(got["device"], device, rtol=1e-9, what=f"device times of {words}", unit="us")
        for key, times in (("blamed", host), ("slowest", device)):
            first = max(times, key=lambda name: times[name])
            expect.equal(got[key], first, what=f"{key} of {words}")


@check("8.9.i", row="timing", level="pass")
def test_clocks_that_cannot_be(student, draw, expect):
    """No phases, no step, a negative time anywhere, and an unknown name are refused."""
    good = [
        {
            "name": name,
            "launch": draw.integer(1, 9),
            "device": draw.integer(1, 9),
            "blocking": False,
        }
        for name in ("forward", "backward", "optimizer")
    ]
    cases = [("without phases", ([],), {}), ("without phases but a sync", ([], ["x"]), {})]
    cases += [(f"for {steps} steps", (good, [], steps), {}) for steps in (0, -1)]
    cases += [(f"for a sync after {names}", (good, names), {})
              for names in (["x"], ["forward", "x"], ["x", "optimizer"])]  # fmt: skip
    for index, key in product(range(3), ("launch", "device")):
        bad = [dict(phase) for phase in good]
        bad[index][key] *= -1
        cases.append((f"if {key} of phase {index} is negative", (bad,), {}))
    _refusals(student, expect, "host_clock_table", cases)
