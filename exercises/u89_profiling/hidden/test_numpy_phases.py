"""Hidden checks of phase_table (8.9.b) against columns that the checks add up."""

from __future__ import annotations

import math
from itertools import product

from grader.checks import check
from grader.checks.many import column, refusals, refused, values_of
from grader.checks.numbers import quantile

MS = 1000
PHASES = ("data_wait", "transfer", "forward", "backward", "optimizer")
ROWS = (*PHASES, "residual")


def _event(name, start, end, thread=0):
    return {"name": name, "start": start, "end": end, "thread": thread}


def _trace(draw, durations, gap):
    """Return the events of a loop; `durations` has one dict of lists of phase times a step."""
    events, now = [], draw.integer(0, 500)
    for index, step in enumerate(durations):
        now += draw.integer(20, 90)
        if index % 2:
            events.append(_event("data_wait", now, now + 7))
            now += 7
        begin = now
        for phase, pieces in step.items():
            for piece in pieces:
                now += gap
                events.append(_event(phase, now, now + piece, 0))
                events.append(_event("aten::mm", now, now + piece // 2, 0))
                events.append(_event("aten::mm", now, now + 2 * piece, 7))
                now += piece
        now += gap
        events.append(_event("train_step", begin, now))
    return draw.shuffled(events)


def _steps(draw, count, scale=1, micro=1):
    """Return phase times of some steps; with `micro` 2 the forward comes in two pieces."""
    return [
        {
            "transfer": [draw.integer(10, 40) * scale],
            "forward": [draw.integer(200, 240) * scale for _ in range(micro)],
            "backward": [draw.integer(600, 800) * scale],
            "optimizer": [draw.integer(60, 90) * scale] if index % 3 else [],
        }
        for index in range(count)
    ]


def _usual_table(durations, gap, waits, warmup):
    """Return the true table: columns of sums, then percentiles and shares, by plain Python."""
    columns = {name: [] for name in ROWS}
    whole = []
    for step, wait in list(zip(durations, waits, strict=True))[warmup:]:
        for name in ROWS[1:5]:
            columns[name].append(sum(step[name]))
        columns["data_wait"].append(wait)
        columns["residual"].append(gap * (1 + sum(len(pieces) for pieces in step.values())))
        whole.append(sum(columns[name][-1] for name in ROWS))
    rows = {
        name: {
            "p50": quantile(values, 0.5),
            "p90": quantile(values, 0.9),
            "share": sum(values) / sum(whole),
        }
        for name, values in columns.items()
    }
    return rows, {"p50": quantile(whole, 0.5), "p90": quantile(whole, 0.9)}


@check("8.9.b", row="timing", level="pass")
def test_shares_and_residual(student, draw, expect):
    """Every microsecond is in one row: five phases, and a residual that is shown."""
    durations, gap = _steps(draw, 7, micro=2), draw.integer(5, 15)
    waits = draw.integers(1000, 2000, 7)
    got = student.numpy.phase_table(_trace(draw, durations, gap), waits)
    rows, _ = _usual_table(durations, gap, waits, 0)
    expect.keys(got, ["steps", "rows", "iteration", "slowest"], what="the table")
    expect.equal(got["steps"], 7, what="steps")
    found = column(expect, got["rows"], ROWS, "share", "rows")
    expect.close(found, {n: rows[n]["share"] for n in ROWS}, rtol=1e-9, what="share of each row")
    expect.equal(got["slowest"], "data_wait", what="slowest")


@check("8.9.b", row="timing", level="pass")
def test_warmup_left_out(student, draw, expect):
    """Slow first steps are not counted, and one slow step moves p90 but not p50."""
    warmup, count = draw.integer(2, 3), 11
    slow, usual = _steps(draw, warmup, scale=40), _steps(draw, count)
    usual[4] = _steps(draw, 1, scale=15)[0]
    durations, gap = slow + usual, draw.integer(1, 9)
    waits = [9 * MS] * warmup + draw.integers(5, 60, count)
    got = student.numpy.phase_table(_trace(draw, durations, gap), waits, warmup)
    rows, iteration = _usual_table(durations, gap, waits, warmup)
    expect.keys(got, ["steps", "rows", "iteration", "slowest"], what="the table")
    expect.equal(got["steps"], count, what="steps")
    for key in ("p50", "p90"):
        found = column(expect, got["rows"], ROWS[:5], key, "rows")
        want = {name: rows[name][key] for name in ROWS[:5]}
        expect.close(found, want, rtol=1e-9, what=f"{key} of each phase", unit="us")
    expect.keys(got["iteration"], ["p50", "p90"], what="iteration")
    found = {key: got["iteration"][key] for key in ("p50", "p90")}
    expect.close(found, iteration, rtol=1e-9, what="iteration", unit="us")
    expect.equal(got["slowest"], "backward", what="slowest")


@check("8.9.b", row="timing", level="pass")
def test_incomplete_measurement(student, draw, expect):
    """Waits that do not match the steps, a phase outside a step, or no step left are refused."""
    durations = _steps(draw, 3)
    events = _trace(draw, durations, 2)
    refused(student, expect, "if a wait is missing", "phase_table", events, [1, 2])
    refused(student, expect, "if all steps are warm-up", "phase_table", events, [1, 2, 3], 3)
    refused(student, expect, "if a wait is NaN", "phase_table", events, [1, math.nan, 3])
    last = max(event["end"] for event in events)
    stray = [*events, _event("forward", last + 5, last + 9)]
    refused(student, expect, "if a phase lies outside every step", "phase_table", stray, [1, 2, 3])
    empty = [_event("train_step", 5, 5)]
    got = student.numpy.phase_table(empty, [0])
    expect.keys(got, ["rows", "slowest"], what="the table of a step of no length")
    shares = column(expect, got["rows"], ROWS, "share", "rows")
    expect.close(shares, dict.fromkeys(ROWS, 0.0), what="shares when no time passes")


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
        for row, sums in columns.items():
            phase = None if row == "residual" else row
            sums.append(sum(n for name, n in pieces if name == phase) * unit)
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


def _table(columns, waits, warmup):
    """Return the true table of columns of times."""
    kept = {name: values[warmup:] for name, values in {"data_wait": waits, **columns}.items()}
    whole = [sum(step) for step in zip(*kept.values(), strict=True)]
    p50 = {name: quantile(kept[name], 0.5) for name in ROWS}
    return {
        "steps": len(whole),
        "slowest": max(PHASES, key=lambda name: p50[name]),
        "p50": p50,
        "p90": {name: quantile(kept[name], 0.9) for name in ROWS},
        "share": {name: sum(kept[name]) / sum(whole) for name in ROWS},
        "iteration": {"p50": quantile(whole, 0.5), "p90": quantile(whole, 0.9)},
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
    values = values_of(student, expect, "phase_table", cases)
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
        ("if the warm-up is negative", (events, waits, -1), {}),
        ("if there is no step", ([], []), {}),
        ("if there is no step but a wait", ([], [5]), {}),
    ]
    for index, warmup in product(range(3), (0, 1)):
        for word, value in (("negative", -t), ("NaN", math.nan), ("infinite", math.inf),
                            ("minus infinity", -math.inf)):  # fmt: skip
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
    refusals(student, expect, "phase_table", cases)
