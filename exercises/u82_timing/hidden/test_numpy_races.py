"""Hidden checks of races (8.2.b) against a closure over all the rules of order."""

from __future__ import annotations

from itertools import product

from grader.checks import check
from grader.checks.many import refusals

from .lived import op_of, random_program, told, wait_of
from .programs import plain_values, with_bad_references


def _touch(op, reads=(), writes=()):
    return {**op, "reads": list(reads), "writes": list(writes)}


def _certain(ops):
    """Return the pairs (earlier, later) whose order is sure: all paths between marks of the ops.

    Each op has two marks, its own work and, if the host waits in it, the host's going on. An edge
    is one of the four rules; what can be reached by edges is sure.
    """
    edges, works = set(), [op for op in ops if op["stream"] is not None]
    place = {op["name"]: i for i, op in enumerate(ops)}
    for i, op in enumerate(ops):
        for j, later in enumerate(ops[i + 1 :], i + 1):
            if op["stream"] is None or op["stream"] == later["stream"]:
                edges.add(((i, "work"), (j, "work")))
            edges.add(((i, "gone on"), (j, "work")))
            edges.add(((i, "gone on"), (j, "gone on")))
        edges.update(((place[name], "work"), (i, "work")) for name in op.get("after", []))
        waits = op.get("waits", [])
        if isinstance(waits, str):
            waits = [other["name"] for other in works if place[other["name"]] <= i]
        edges.update(((place[name], "work"), (i, "gone on")) for name in waits)
    marks = sorted({mark for edge in edges for mark in edge})
    for middle in marks:  # Warshall's closure
        into = [a for a, b in edges if b == middle]
        out = [b for a, b in edges if a == middle]
        edges.update(product(into, out))
    return {(a[0], b[0]) for a, b in edges if a[1] == b[1] == "work"}


def _raced(ops):
    sure, found = _certain(ops), []
    for j, later in enumerate(ops):
        for i, op in enumerate(ops[:j]):
            writes = set(op.get("writes", [])), set(later.get("writes", []))
            touched = [
                w | set(o.get("reads", [])) for w, o in zip(writes, (op, later), strict=True)
            ]
            if ((writes[0] & touched[1]) or (writes[1] & touched[0])) and (i, j) not in sure:
                found.append([op["name"], later["name"]])
    return sorted(found)


def _same_races(expect, got, want, words):
    listed = isinstance(got, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(name, str) for name in pair)
        for pair in got
    )
    expect.that(listed, "races must return a list of pairs of names.", None if listed else got)
    missed = [pair for pair in want if pair not in got]
    wrong = [pair for pair in got if pair not in want]
    if missed:
        expect.unmet(f"{words}: {missed[0][0]} and {missed[0][1]} are not reported, and nothing "
                     "guarantees their order.", got=got)  # fmt: skip
    if wrong:
        expect.unmet(f"{words}: {wrong[0][0]} and {wrong[0][1]} are reported, but they are in a "
                     "sure order, or touch nothing that one of them writes.", got=got)  # fmt: skip
    expect.equal(len(got), len(want), what=f"number of pairs ({words})")


def _raced_like_this(student, expect, programs):
    calls = [((ops,), {}) for ops in programs.values()]
    for (words, ops), got in zip(
        programs.items(), plain_values(student, expect, "races", calls), strict=True
    ):
        _same_races(expect, got, _raced(ops), words)


@check("8.2.b", row="timing", level="pass")
def test_a_buffer_that_is_used_again(student, draw, expect):
    """A buffer on the device may be written again once an event says that it was read."""
    programs = {}
    for buffers, waits in product((1, 2), (True, False)):
        ops, n = [], draw.integer(4, 6)
        for i in range(n):
            copy = _touch(op_of(f"copy{i}", "copy", 5, 40), writes=[f"buffer{i % buffers}"])
            if waits and i >= buffers:
                copy["after"] = [f"use{i - buffers}"]
            use = op_of(f"use{i}", "main", 5, 100, after=[f"copy{i}"])
            ops += [copy, _touch(use, reads=[f"buffer{i % buffers}"], writes=["weights"])]
        how = "each copy waits for the last use" if waits else "no copy waits"
        programs[f"{buffers} buffer{'s' * (buffers > 1)}, {how}"] = ops
    _raced_like_this(student, expect, programs)


@check("8.2.b", row="timing", level="pass")
def test_buffers_of_the_host(student, draw, expect):
    """The host's own reads and writes race with copies that it has not waited for."""
    up = _touch(op_of("upload", "copy", 5, 50), reads=["pinned"], writes=["x"])
    down = _touch(op_of("download", "copy", 5, 50), reads=["y"], writes=["result"])
    refill = _touch(op_of("refill", None, 3), writes=["pinned"])
    look = _touch(op_of("look", None, 3), reads=["result"])
    programs = {
        "a pinned buffer refilled at once": [up, refill],
        "a pinned buffer refilled after a wait": [up, wait_of(waits=["upload"]), refill],
        "a pinned buffer filled before its upload": [refill, up],
        "a download read at once": [down, look],
        "a download that the host waits for, read then": [{**down, "waits": ["download"]}, look],
        "a download read in the op that waits for it": [down, {**look, "waits": "all"}],
        "a download read after a wait for something else": [
            op_of("kernel", "main", 5, 500), down, wait_of(waits=["kernel"]), look],
        "a download read after a wait for what comes behind it": [
            down, op_of("kernel", "copy", 5, 5), wait_of(waits=["kernel"]), look],
        "two that only read": [up, _touch(op_of("again", "side", 1, 5), reads=["pinned"])],
        "two that write": [up, _touch(op_of("zero", "side", 1, 5), writes=["x"])],
    }  # fmt: skip
    _raced_like_this(student, expect, programs)


@check("8.2.b", row="timing", level="pass")
def test_an_order_by_way_of_others(student, draw, expect):
    """An order is sure by way of other ops, too, and times say nothing."""
    write = _touch(op_of("write", "one", 5, 10), writes=["x"])
    read = _touch(op_of("read", "three", 5, 10), reads=["x"])
    between = op_of("between", "two", 5, 10, after=["write"])
    programs = {
        "by way of a third stream": [write, between, {**read, "after": ["between"]}],
        "by way of the third stream's order": [
            write, between, op_of("behind", "two"), {**read, "after": ["behind"]}],
        "the third stream waits too late": [
            write, op_of("early", "two"), between, {**read, "after": ["early"]}],
        "the host waited for one behind it": [write, between, wait_of(waits=["between"]), read],
        "the host waited before": [wait_of(), write, read],
        "long over by the clock": [write, op_of("pause", None, 100_000), read],
    }  # fmt: skip
    _raced_like_this(student, expect, programs)


@check("8.2.b", row="timing", level="pass")
def test_random_programs_and_all_their_races(student, draw, expect):
    """In random programs exactly those pairs are found that no chain of rules puts in order."""
    programs = {}
    for number in range(25):
        # the shortest first, so that the first one that fails is easy to follow
        ops = random_program(draw, 2 + number // 2, waits=0.15)
        for op in ops:
            op["reads"] = draw.shuffled(["x", "y", "z"])[: draw.integer(0, 2)]
            if draw.integer(0, 1):
                op["writes"] = [draw.choice(["x", "y", "z"])]
        programs[f"random program {number}: {told(ops)}"] = ops
    programs["no program"] = []
    _raced_like_this(student, expect, programs)


@check("8.2.b", row="timing", level="pass")
def test_races_of_no_program(student, draw, expect):
    """What is no program has no races, and its times are not looked at."""
    bare = [{"name": "a", "stream": "one", "writes": ["x"]},
            {"name": "b", "stream": "two", "reads": ["x"]}]  # fmt: skip
    _raced_like_this(student, expect, {"a program without times": bare})
    cases = [(why, (ops,), {}) for why, ops in with_bad_references().items()]
    refusals(student, expect, "races", cases)
