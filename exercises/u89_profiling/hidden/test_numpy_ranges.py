"""Hidden checks of self_total (8.9.a) against a sweep over every stretch between two boundaries."""

from __future__ import annotations

import math
from itertools import pairwise, product
from typing import Any

from grader.checks import check
from grader.checks.many import column, refusals, refused, values_of
from grader.checks.numbers import is_count

BAD = {"NaN": math.nan, "infinite": math.inf, "minus infinity": -math.inf}


def _event(name, start, end, thread=0):
    return {"name": name, "start": start, "end": end, "thread": thread}


def _nest(draw, names, start, end, thread):
    """Return random events that nest inside start..end, one level of `names` after the other."""
    if not names or end - start < 8:
        return []
    cuts = sorted(draw.integers(start, end, 4))
    events = []
    for low, high in ((cuts[0], cuts[1]), (cuts[2], cuts[3])):
        events.append(_event(names[0], low, high, thread))
        events += _nest(draw, names[1:], low, high, thread)
    return events


def _brute(events):
    """Return self and total times by walking over every stretch between two boundaries."""
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


def _held(expect, got, truth):
    names = list(truth)
    expect.equal(
        sorted(map(str, got)) if isinstance(got, dict) else got,
        sorted(names),
        what="the names in the table",
    )
    for key in ("self", "total", "count"):
        want = {name: truth[name][key] for name in names}
        expect.close(
            column(expect, got, names, key, "the table"),
            want,
            rtol=1e-9,
            what=f"{key} of each name",
            unit="" if key == "count" else "us",
        )
    whole = all(is_count(row["count"]) for row in got.values())
    expect.that(whole, "A count must be an integer.")


@check("8.9.a", row="timing", level="pass")
def test_nested_events(student, draw, expect):
    """Self times add up to the outermost ranges; totals contain what is nested inside."""
    names = [draw.name() for _ in range(3)]
    events = [_event("root", 0, 9000)]
    # three levels for certain, whatever is drawn besides
    low, high = draw.integer(100, 900), draw.integer(3000, 3900)
    events += [
        _event(names[0], low, high),
        _event(names[1], low + 50, high - 300),
        _event(names[2], low + 60, high - 700),
    ]
    events += _nest(draw, names, 4000, 8900, 0)
    events = draw.shuffled(events)
    _held(expect, student.numpy.self_total(events), _brute(events))
    expect.equal(student.numpy.self_total([]), {}, what="the table of an empty trace")


@check("8.9.a", row="timing", level="pass")
def test_threads_recursion_and_zero_length(student, draw, expect):
    """Threads do not nest in each other, a name inside itself counts once, no length is fine."""
    a, b = draw.name(), draw.name(6)
    t = draw.integer(100, 200)
    events = [
        _event("root", 0, 20 * t, 1), _event(a, t, 9 * t, 1), _event(b, 2 * t, 8 * t, 1),
        _event(a, 3 * t, 6 * t, 1), _event(a, 4 * t, 5 * t, 1),
        _event(b, 9 * t, 12 * t, 1), _event(b, 12 * t, 12 * t, 1), _event(a, 12 * t, 13 * t, 1),
        _event(a, 2 * t, 15 * t, "worker"), _event(b, 7 * t, 14 * t, "worker"),
        _event("mark", 7 * t, 7 * t, "worker"), _event("twin", 16 * t, 17 * t, 1),
        _event("shadow", 16 * t, 17 * t, 1),
    ]  # fmt: skip
    order = [int(i) for i in draw.rng.permutation(11)]
    events = [events[i] for i in order] + events[11:]  # the twins keep their order
    _held(expect, student.numpy.self_total(events), _brute(events))
    floats = [{**e, "start": e["start"] / 8, "end": e["end"] / 8} for e in events]
    _held(expect, student.numpy.self_total(floats), _brute(floats))


@check("8.9.a", row="timing", level="pass")
def test_malformed_trace(student, draw, expect):
    """A trace that cannot be true is refused instead of being turned into numbers."""
    t = draw.integer(10, 99)
    crossing = [_event("x", 0, 2 * t), _event("y", t, 3 * t)]
    refused(student, expect, "if ranges of one thread cross", "self_total", crossing)
    refused(
        student, expect, "if a range ends before it starts", "self_total", [_event("x", t, t - 1)]
    )
    refused(student, expect, "if a time is NaN", "self_total", [_event("x", math.nan, t)])
    refused(student, expect, "if a time is infinite", "self_total", [_event("x", 0, math.inf)])


def _nested(draw, names, threads, offset, unit):
    """Return a small trace on a grid so coarse that edges are shared and ranges are equal."""
    events = []

    def fill(low, high, depth, thread):
        while depth and len(events) < 40 and draw.integer(0, 3):
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
        values_of(student, expect, "self_total", [((events,), {}) for events in traces]),
        strict=True,
    ):
        want, words = _brute(events), _trace_in_words(events)
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
        whole = all(is_count(got[name]["count"]) for name in want)
        expect.that(whole, f"A count must be an integer for {words}.")


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
    refusals(student, expect, "self_total", cases)
