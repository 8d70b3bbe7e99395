"""Hidden checks of unit 8.3, PyTorch stage: what every step leaves behind (8.3.n)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from grader.checks import check

from .answers import fine, refused

LEAK = ("leaks", "live", "bytes_per_step", "kind")


def _leak(student, expect, kind, plan=None, entries=2, *, widths=(9, 16, 4), batch=8):
    case = {"kind": kind, "plan": plan or {}, "entries": entries, "widths": list(widths),
            "batch": batch}  # fmt: skip
    answer = student.run("leaking", case)
    fine(expect, answer, "find_leak")
    expect.keys(answer["value"], LEAK, what="the result")
    steps = (plan or {}).get("steps", 4)
    warmup = (plan or {}).get("warmup", 2)
    expect.equal(answer["calls"], steps + warmup, what="steps that were run")
    return answer["value"]


def _held(expect, value, what, size, kind):
    got = {"leaks": value["leaks"], "bytes_per_step": value["bytes_per_step"],
           "kind": value["kind"]}  # fmt: skip
    want = {"leaks": size > 0, "bytes_per_step": size, "kind": kind}
    expect.equal(got, want, what=what)


@check("8.3.n", row="prediction", level="strong")
def test_a_list_of_losses(student, draw, expect):
    """A list of losses leaks one graph a step, to the byte; a list of numbers leaks nothing."""
    n, m, batch = draw.integer(5, 40), draw.integer(5, 40), draw.integer(3, 30)
    shape = {"widths": (7, n, m), "batch": batch}
    # the ReLU's output, the log-probabilities, loss and total weight, and labels of its own
    graph = 4 * batch * (n + m) + 8 + 8 * batch
    value = _leak(student, expect, "losses", **shape)
    _held(expect, value, "a list of losses", graph, "graph")
    live = list(value["live"]) if isinstance(value["live"], list | np.ndarray) else []
    expect.equal(len(live), 5, what="readings in live, after the warm-up and each counted step")
    for number, reading in enumerate(live):
        what = f"live after {number} counted steps"
        expect.between(reading, 2 * graph, 2**40, what=what, unit="B")
    growth = [b - a for a, b in pairwise(live)]
    expect.equal(growth, [graph] * 4, what="growth of live from step to step", unit="B")
    value = _leak(student, expect, "numbers", **shape)
    _held(expect, value, "a list of numbers", 0, None)


@check("8.3.n", row="prediction", level="pass")
def test_leaks_of_data(student, draw, expect):
    """Rows that hold their tables, errors that hold their frames and detached losses are data."""
    n, batch = draw.integer(5, 40), draw.integer(3, 30)
    shape = {"widths": (n, 8, 3), "batch": batch}
    for kind, size in (("rows", 4 * n * batch), ("errors", 4 * n * batch), ("trained losses", 4)):
        value = _leak(student, expect, kind, **shape)
        _held(expect, value, f"a list of {kind}", size, "data")


@check("8.3.n", row="prediction", level="pass")
def test_growth_that_is_no_leak(student, draw, expect):
    """What comes once, what goes again and what waits for the garbage collector is no leak."""
    for kind, plan, entries, what in (
        ("cache", {"steps": 3, "warmup": 2}, 2, "a cache that is full after the warm-up"),
        ("cache", {"steps": 3, "warmup": 1}, 3, "a cache that is full within the counted steps"),
        ("up and down", {"steps": 5, "warmup": 3}, 3, "a buffer that grows and is dropped"),
        ("cycles", {}, 2, "tensors in cycles"),
        ("returned", {"steps": 2, "warmup": 1}, 2, "a loss that the step returns"),
    ):
        value = _leak(student, expect, kind, plan, entries)
        _held(expect, value, what, 0, None)


def _by_hand(student, expect, moves, graphs=None, resident=5000):
    """Look for a leak in steps that move so many bytes and make so many graphs, two in a warm-up.

    Returns what was found, and the readings as words: a step that decided can be seen from them.
    """
    case = {"kind": "by hand", "resident": resident, "moves": moves,
            "graphs": graphs or [0] * len(moves), "plan": {"steps": len(moves) - 2, "warmup": 2}}
    readings = [resident + sum(moves[:k]) for k in range(2, len(moves) + 1)]
    words = f"steps with the readings {readings}"
    words += " (below 0, but differences count)" if min(readings) < 0 else ""
    answer = student.run("leaking", case)
    fine(expect, answer, f"find_leak of {words}")
    value = answer["value"]
    expect.keys(value, LEAK, what="the result")
    expect.equal(value["live"], readings, what=f"live of {words}", unit="B")
    return value, words


@check("8.3.n", row="prediction", level="pass")
def test_every_counted_step_decides(student, draw, expect):
    """A leak grows with each counted step, and with them all together; so do graphs."""
    m = draw.integer(50, 90)
    k = draw.integer(1, 9)
    # no step grows by the mean, which is neither the first, the last nor the median
    for moves in ([m + 5 * k, m - k, m - 3 * k, m - k], [m - 5 * k, m + k, m + k, m + 3 * k]):
        for resident in (5000, -m, -9000):
            value, words = _by_hand(student, expect, [m, 0, *moves], resident=resident)
            _held(expect, value, words, m, "data")
    for flat in range(4):
        moves = [m, m + 1, m + 2, m + 3]
        for still in (0, -k):
            moves[flat] = still
            value, words = _by_hand(student, expect, [m, m, *moves])
            _held(expect, value, f"{words}: step {flat + 1} does not grow", 0, None)
    for graphs, kind in (([1, 1, 1, 1], "graph"), ([2, 1, 3, 1], "graph"), ([1, 0, 0, 0], "data"),
                         ([0, 0, 0, 1], "data"), ([1, 1, 1, 0], "data"), ([0, 1, 1, 1], "data"),
                         ([1, 2, -1, 1], "data")):  # fmt: skip
        value, words = _by_hand(student, expect, [m] * 6, [1, 0, *graphs])
        _held(expect, value, f"{words}, of which each leaves {graphs} more graphs", m, kind)


@check("8.3.n", row="prediction", level="pass")
def test_a_leak_is_not_measured_by_nothing(student, draw, expect):
    """A meter of None or zeros proves no absence of leaks, and plans without steps are refused."""
    for kind, readings in (("none", "None"), ("zero", "0")):
        answer = student.run("leaking", {"kind": kind, "plan": {}})
        refused(expect, answer, "find_leak", f"if all readings are {readings}", "RuntimeError")
    for plan, why in (
        ({"steps": 0}, "for 0 steps"),
        ({"steps": 2, "warmup": -1}, "for a warm-up of -1 steps"),
    ):
        case = {"kind": "rows", "plan": plan, "entries": 1, "widths": [3, 2], "batch": 2}
        answer = student.run("leaking", case)
        refused(expect, answer, "find_leak", why)
        expect.equal(answer["calls"], 0, what="steps that ran under a refused plan")
    value = _leak(student, expect, "rows", {"steps": 1, "warmup": 0}, widths=(6, 3), batch=4)
    _held(expect, value, "a single step without warm-up", 96, "data")
