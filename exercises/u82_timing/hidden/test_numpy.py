"""Hidden checks of unit 8.2, NumPy stage. Truths come from a scheduler that lives every microsecond."""

from __future__ import annotations

import math
from itertools import count, product

from grader.checks import check

BAD = {"negative": -1, "NaN": math.nan, "infinite": math.inf}


# What several checks need


def _answers(student, expect, function, calls):
    """Return what each call ``(arguments, named)`` gave, after a look at its arguments."""
    wanted = [[list(arguments), dict(named)] for arguments, named in calls]
    answers = student.run("calls", {"function": function, "calls": wanted})
    whole = isinstance(answers, list) and len(answers) == len(calls)
    whole = whole and all(isinstance(a, dict) and ("value" in a or "raised" in a) for a in answers)
    expect.that(whole, f"{function} did not answer every call.")
    for answer in answers:
        expect.that(answer.get("kept") is True, f"{function} changed its arguments.")
    return answers


def _values(student, expect, function, calls):
    """Return the value of each call; none of them may raise."""
    values = []
    for answer in _answers(student, expect, function, calls):
        kinds = answer.get("raised")
        kind = kinds[0] if isinstance(kinds, list) and kinds else "an error"
        note = f"{function} must not raise here, and raised {kind}: {answer.get('message')}"
        expect.that("value" in answer, note)
        values.append(answer["value"])
    return values


def _refusals(student, expect, function, cases):
    """Expect each call ``(why, arguments, named)`` to raise ValueError."""
    calls = [(arguments, named) for _, arguments, named in cases]
    for (why, _, _), answer in zip(cases, _answers(student, expect, function, calls), strict=True):
        raised = answer.get("raised")
        refused = isinstance(raised, list) and "ValueError" in raised
        seen = None if refused else raised[:1] if isinstance(raised, list) else answer.get("value")
        expect.that(refused, f"{function} must raise ValueError {why}.", seen)


def _op(name, stream="main", launch=0, device=0, **more):
    return {"name": name, "stream": stream, "launch": launch, "device": device, **more}


def _wait(name="sync", waits="all"):
    return {"name": name, "stream": None, "launch": 0, "device": 0, "waits": waits}


def _named(run, name, key):
    return run["ops"][name][key]


def _lived(ops, sync=1):
    """Return what `simulate` should, by living through every microsecond. Whole numbers only."""
    seen = {op["name"]: {"called": None, "returned": None, "start": None, "end": None}
            for op in ops}  # fmt: skip
    streams = {op["stream"]: [] for op in ops if op["stream"] is not None}
    program, handed, state, left, through, now = list(ops), [], "next", 0, 0, 0
    op, targets = None, []

    def host():
        """Let the host take one step that needs no time; return whether it did."""
        nonlocal state, left, op, targets, through
        if state == "next" and program:
            op = program.pop(0)
            seen[op["name"]]["called"] = now
            state, left = "launching", op.get("launch", 0)
        elif state == "launching" and left == 0:
            if op["stream"] is not None:
                streams[op["stream"]].append([op, op.get("device", 0)])
                handed.append(op["name"])
            waits = op.get("waits", [])
            targets = list(handed) if isinstance(waits, str) else list(waits)
            state = "waiting" if len(waits) else "through"
        elif state == "waiting" and all(seen[name]["end"] is not None for name in targets):
            state, left = "after", sync
        elif state == "through" or (state == "after" and left == 0):
            seen[op["name"]]["returned"] = through = now
            state = "next"
        else:
            return False
        return True

    def device():
        """Let each stream start or end its first work; return whether one did."""
        moved = False
        for queue in streams.values():
            if not queue:
                continue
            first, rest = queue[0]
            row = seen[first["name"]]
            ready = all(seen[name]["end"] is not None for name in first.get("after", []))
            if row["start"] is None and ready:
                row["start"], moved = now, True
            elif row["start"] is not None and rest == 0:
                row["end"], moved = now, True
                queue.pop(0)
        return moved

    while True:
        while host() or device():
            pass
        if state == "next" and not any(streams.values()):
            break
        now += 1
        if state in ("launching", "after"):
            left -= 1
        for queue in streams.values():
            if queue and seen[queue[0][0]["name"]]["start"] is not None:
                queue[0][1] -= 1
    last = max((row["end"] for row in seen.values() if row["end"] is not None), default=0)
    return {"ops": seen, "host": through, "device": last, "total": max(through, last)}


def _program(draw, length, *, streams=("main", "side", "copy"), waits=0.25, prefix=""):
    """Return a random program: a DAG over streams, with waits of every kind."""
    ops, work = [], []
    for number in range(length):
        name = f"{prefix}{draw.name(3)}{number}"
        if draw.uniform(0, 1) < 0.15:
            op = _op(name, None, draw.integer(0, 6))
            choices = work
        else:
            op = _op(name, draw.choice(streams), draw.integer(0, 6), draw.integer(0, 14))
            op["kind"] = draw.choice(["compute", "copy"])
            if work and draw.uniform(0, 1) < 0.4:
                op["after"] = draw.shuffled(work)[: draw.integer(1, 2)]
            choices = [*work, name]
        if choices and draw.uniform(0, 1) < waits:
            op["waits"] = draw.choice(["all", draw.shuffled(choices)[:1], draw.shuffled(choices)])
        work += [name] if op["stream"] is not None else []
        ops.append(op)
    return ops


def _told(ops):
    """Write a small program down."""
    words = []
    for op in ops[:6]:
        where = f"on {op['stream']}" if op["stream"] is not None else "on the host"
        more = "".join(f", {key} {op[key]}" for key in ("after", "waits") if op.get(key))
        words.append(f"{op['name']} {where} {op.get('launch', 0)}+{op.get('device', 0)}{more}")
    return "; ".join(words) + ("; …" if len(ops) > len(words) else "")


RUN = ("ops", "host", "device", "total")
ROW = ("called", "returned", "start", "end")


def _same_run(expect, got, want, ops):
    """Hold one run against the truth, what comes first in time first."""
    words = f"the program {_told(ops)}"
    expect.keys(got, RUN, what=f"the result for {words}")
    expect.keys(got["ops"], want["ops"], what=f"ops of {words}")
    for name, row in want["ops"].items():
        expect.keys(got["ops"][name], ROW, what=f"{name} of {words}")
        mine = {key: got["ops"][name][key] for key in ROW}
        expect.close(mine, row, rtol=1e-9, what=f"{name} of {words}", unit="us")
    for key in RUN[1:]:
        expect.close(got[key], want[key], rtol=1e-9, what=f"{key} of {words}", unit="us")


# 8.2.a simulate


@check("8.2.a", row="timing", level="pass")
def test_the_host_runs_ahead_of_a_stream(student, draw, expect):
    """The host pays launches and goes on; the work of a stream runs one op at a time, in order."""
    launch, work = draw.integer(2, 9), draw.integer(20, 60)
    for launches, works in (([launch] * 4, [work] * 4), ([work] * 4, [launch] * 4),
                            (draw.integers(1, 9, 5), draw.integers(1, 9, 5))):  # fmt: skip
        ops = [_op(f"k{i}", "main", a, b) for i, (a, b) in enumerate(zip(launches, works, strict=True))]
        (got,) = _values(student, expect, "simulate", [((ops,), {})])
        _same_run(expect, got, _lived(ops), ops)


@check("8.2.a", row="timing", level="pass")
def test_streams_wait_for_each_other_and_the_host_does_not(student, draw, expect):
    """Streams run side by side; `after` delays work on the device and never the host."""
    long = draw.integer(50, 90)
    ops = [
        _op("copy", "side", 3, long), _op("other", "main", 3, 10),
        _op("use", "main", 3, 10, after=["copy"]), _op("behind", "main", 3, 5),
        _op("beside", "side", 3, 5), _op("both", "third", 3, 5, after=["behind", "beside"]),
    ]  # fmt: skip
    (got,) = _values(student, expect, "simulate", [((ops,), {})])
    _same_run(expect, got, _lived(ops), ops)


@check("8.2.a", row="timing", level="pass")
def test_what_a_wait_costs_the_host(student, draw, expect):
    """The host waits for exactly what it is told to, and each wait costs `sync` in itself."""
    for sync in (0, draw.integer(3, 9)):
        for waits in ("all", ["first"], ["own"], ["first", "own"]):
            ops = [
                _op("first", "main", 2, draw.integer(20, 40)), _op("side", "side", 2, 90),
                _op("own", "main", 2, draw.integer(5, 9), waits=waits), _op("next", "main", 2, 4),
                _wait("again"), _wait("nothing left"), _op("last", None, 7),
            ]  # fmt: skip
            (got,) = _values(student, expect, "simulate", [((ops, sync), {})])
            _same_run(expect, got, _lived(ops, sync), ops)
    (got,) = _values(student, expect, "simulate", [((ops,), {})])
    _same_run(expect, got, _lived(ops), ops)


@check("8.2.a", row="timing", level="pass")
def test_random_programs_against_a_scheduler(student, draw, expect):
    """Random programs over three streams end when a brute-force scheduler says."""
    programs = [_program(draw, draw.integer(1, 14)) for _ in range(40)]
    calls = [((ops, draw.integer(0, 3)), {}) for ops in programs]
    for (arguments, _), got in zip(calls, _values(student, expect, "simulate", calls), strict=True):
        _same_run(expect, got, _lived(*arguments), arguments[0])


@check("8.2.a", row="timing", level="pass")
def test_programs_with_little_in_them(student, draw, expect):
    """No op at all, missing keys, no time at all and times that are no integers are programs, too."""
    half = draw.integer(1, 9) + 0.5
    bare = [{"name": "k", "stream": "main"}, {"name": "host", "stream": None}]
    waits = [{"name": "only", "stream": None, "waits": "all"}]
    calls = [(([],), {}), ((bare,), {}), ((waits, 4), {})]
    empty, bare_run, waited = _values(student, expect, "simulate", calls)
    expect.equal(empty, {"ops": {}, "host": 0, "device": 0, "total": 0}, what="an empty program")
    _same_run(expect, bare_run, _lived(bare), bare)
    _same_run(expect, waited, _lived(waits, 4), waits)
    ops = [_op("a", "main", half, 4 * half), _op("b", "main", half, half, waits=["b"])]
    (got,) = _values(student, expect, "simulate", [((ops, half), {})])
    expect.keys(got, RUN, what="the result for times that are no integers")
    expect.close(got["host"], 7 * half, rtol=1e-9, what="host, times that are no integers", unit="us")


@check("8.2.a", row="timing", level="pass")
def test_programs_that_make_no_sense(student, draw, expect):
    """Impossible times, doubled names and references to what was not handed over are refused."""
    good = [_op("a", "main", 1, 5), _op("host", None, 2)]
    cases = []
    for key, (word, value) in product(("launch", "device"), BAD.items()):
        cases.append((f"if the {key} time is {word}", ([*good, {**_op("b"), key: value}],), {}))
    for word, value in BAD.items():
        cases.append((f"if sync is {word}", (good, value), {}))
    for why, op in {
        "if two ops have the same name": _op("a", "side"),
        "if a host's op has device time": _op("b", None, 1, 3),
        "if a host's op has an `after`": _op("b", None, 1, 0, after=["a"]),
        "if `after` names an op that is unknown": _op("b", after=["c"]),
        "if `after` names the op itself": _op("b", after=["b"]),
        "if `after` names a host's op": _op("b", after=["host"]),
        "if `waits` names an op that is unknown": _op("b", waits=["a", "c"]),
        "if `waits` names a host's op": _op("b", waits=["host"]),
        "if a host's op waits for itself": _op("b", None, waits=["b"]),
        "if `waits` is another word than all": _op("b", waits="none"),
    }.items():
        cases.append((why, ([*good, op],), {}))
    later = [_op("b", after=["a"]), *good]
    cases.append(("if `after` names an op that comes later", (later,), {}))
    _refusals(student, expect, "simulate", cases)


# 8.2.b races


def _touch(op, reads=(), writes=()):
    return {**op, "reads": list(reads), "writes": list(writes)}


def _certain(ops):
    """Return the pairs (earlier, later) whose order is sure: all paths between marks of the ops.

    Each op has two marks, its own work and, if the host waits in it, the host's going on. An edge is
    one of the four rules; what can be reached by edges is sure.
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
            touched = [w | set(o.get("reads", [])) for w, o in zip(writes, (op, later), strict=True)]
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
        programs.items(), _values(student, expect, "races", calls), strict=True
    ):
        _same_races(expect, got, _raced(ops), words)


@check("8.2.b", row="timing", level="pass")
def test_a_buffer_that_is_used_again(student, draw, expect):
    """A buffer on the device may be written again once an event says that it was read."""
    programs = {}
    for buffers, waits in product((1, 2), (True, False)):
        ops, n = [], draw.integer(4, 6)
        for i in range(n):
            copy = _touch(_op(f"copy{i}", "copy", 5, 40), writes=[f"buffer{i % buffers}"])
            if waits and i >= buffers:
                copy["after"] = [f"use{i - buffers}"]
            use = _op(f"use{i}", "main", 5, 100, after=[f"copy{i}"])
            ops += [copy, _touch(use, reads=[f"buffer{i % buffers}"], writes=["weights"])]
        how = "each copy waits for the last use" if waits else "no copy waits"
        programs[f"{buffers} buffers, {how}"] = ops
    _raced_like_this(student, expect, programs)


@check("8.2.b", row="timing", level="pass")
def test_buffers_of_the_host(student, draw, expect):
    """The host's own reads and writes race with copies that it has not waited for."""
    up = _touch(_op("upload", "copy", 5, 50), reads=["pinned"], writes=["x"])
    down = _touch(_op("download", "copy", 5, 50), reads=["y"], writes=["result"])
    refill = _touch(_op("refill", None, 3), writes=["pinned"])
    look = _touch(_op("look", None, 3), reads=["result"])
    programs = {
        "a pinned buffer refilled at once": [up, refill],
        "a pinned buffer refilled after a wait": [up, _wait(waits=["upload"]), refill],
        "a pinned buffer filled before its upload": [refill, up],
        "a download read at once": [down, look],
        "a download that the host waits for, read then": [{**down, "waits": ["download"]}, look],
        "a download read in the op that waits for it": [down, {**look, "waits": "all"}],
        "a download read after a wait for something else": [
            _op("kernel", "main", 5, 500), down, _wait(waits=["kernel"]), look],
        "a download read after a wait for what comes behind it": [
            down, _op("kernel", "copy", 5, 5), _wait(waits=["kernel"]), look],
        "two that only read": [up, _touch(_op("again", "side", 1, 5), reads=["pinned"])],
        "two that write": [up, _touch(_op("zero", "side", 1, 5), writes=["x"])],
    }  # fmt: skip
    _raced_like_this(student, expect, programs)


@check("8.2.b", row="timing", level="pass")
def test_an_order_by_way_of_others(student, draw, expect):
    """An order is sure by way of other ops, too, and times say nothing."""
    write = _touch(_op("write", "one", 5, 10), writes=["x"])
    read = _touch(_op("read", "three", 5, 10), reads=["x"])
    between = _op("between", "two", 5, 10, after=["write"])
    programs = {
        "by way of a third stream": [write, between, {**read, "after": ["between"]}],
        "by way of the third stream's order": [
            write, between, _op("behind", "two"), {**read, "after": ["behind"]}],
        "the third stream waits too late": [
            write, _op("early", "two"), between, {**read, "after": ["early"]}],
        "the host waited for one behind it": [write, between, _wait(waits=["between"]), read],
        "the host waited before": [_wait(), write, read],
        "long over by the clock": [write, _op("pause", None, 100_000), read],
    }  # fmt: skip
    _raced_like_this(student, expect, programs)


@check("8.2.b", row="timing", level="pass")
def test_random_programs_and_all_their_races(student, draw, expect):
    """In random programs exactly those pairs are found that no chain of rules puts in order."""
    programs = {}
    for number in range(25):
        ops = _program(draw, draw.integer(2, 12), waits=0.15)
        for op in ops:
            op["reads"] = draw.shuffled(["x", "y", "z"])[: draw.integer(0, 2)]
            if draw.integer(0, 1):
                op["writes"] = [draw.choice(["x", "y", "z"])]
        programs[f"random program {number}: {_told(ops)}"] = ops
    programs["no program"] = []
    _raced_like_this(student, expect, programs)


@check("8.2.b", row="timing", level="pass")
def test_races_of_no_program(student, draw, expect):
    """What is no program has no races, and its times are not looked at."""
    bare = [{"name": "a", "stream": "one", "writes": ["x"]},
            {"name": "b", "stream": "two", "reads": ["x"]}]  # fmt: skip
    _raced_like_this(student, expect, {"a program without times": bare})
    good = [_op("a"), _op("host", None)]
    cases = [(why, ([*good, op],), {}) for why, op in {
        "if two ops have the same name": _op("a", "side"),
        "if `after` names an op that is unknown": _op("b", after=["c"]),
        "if a host's op has an `after`": _op("b", None, after=["a"]),
        "if `waits` names a host's op": _op("b", waits=["host"]),
        "if `waits` is another word than all": _op("b", waits="none"),
    }.items()]  # fmt: skip
    _refusals(student, expect, "races", cases)


# 8.2.c measured


def _printed(before, region, policy, sync):
    """Return what a timer prints, by adding its waits to the program and living through it."""
    number = count()

    def wait():
        return _wait(f"timer{next(number)}")

    start = [] if policy in ("naive", "end_only") else [wait()]
    timed = list(region)
    if policy == "every_op":
        timed = [op for kernel in region for op in (kernel, wait())]
    elif policy not in ("naive", "start_only"):
        timed.append(wait())
    begin = _lived([*before, *start], sync)["host"]
    return _lived([*before, *start, *timed], sync)["host"] - begin


def _region(draw, kernels, launch=5, work=100):
    return [_op(f"k{i}", "main", launch, work + draw.integer(0, 9)) for i in range(kernels)]


POLICIES = ("naive", "start_only", "end_only", "honest", "every_op")


@check("8.2.c", row="timing", level="pass")
def test_what_the_timers_print(student, draw, expect):
    """A timer prints launches, older work or its own work, by where its syncs are."""
    scenes = {
        "an empty queue": [],
        "older work in the queue": [_op("old", "main", 2, draw.integer(300, 600))],
        "older work in another stream": [_op("old", "side", 2, draw.integer(300, 600))],
        "older work that is over": [_op("old", "main", 2, 50), _op("pause", None, 400)],
    }
    region = _region(draw, draw.integer(3, 5))
    sync = draw.integer(1, 9)
    for policy in POLICIES:
        calls = [((before, region, policy, sync), {}) for before in scenes.values()]
        values = _values(student, expect, "measured", calls)
        for (words, before), got in zip(scenes.items(), values, strict=True):
            want = _printed(before, region, policy, sync)
            expect.close(got, want, rtol=1e-9, what=f"the {policy} timer, {words}", unit="us")


@check("8.2.c", row="timing", level="pass")
def test_what_events_print(student, draw, expect):
    """Events print the time on the device: idle gaps within the region, and no older work."""
    launch, work, old = draw.integer(4, 9), draw.integer(50, 90), draw.integer(400, 800)
    kernels = [_op(f"k{i}", "main", launch, work) for i in range(3)]
    slow = [_op(f"k{i}", "main", work, launch) for i in range(3)]
    queued, other = [_op("old", "main", 2, old)], [_op("old", "side", 2, old)]
    waiting = [{**kernels[0], "after": ["old"]}, *kernels[1:]]
    scenes = {
        "a busy queue": (queued, kernels, 3 * work),
        "an idle device": ([], kernels, launch + 3 * work),
        "launches slower than the work": ([], slow, 3 * work + launch),
        "a first kernel that waits for another stream": (other, waiting, old + 3 * work),
        "a pause of the host in it": ([], [kernels[0], _op("pause", None, 1000), kernels[1]],
                                      2 * launch + 1000 + work),
    }  # fmt: skip
    calls = [((before, region, "events"), {}) for before, region, _ in scenes.values()]
    values = _values(student, expect, "measured", calls)
    for (words, (_, _, want)), got in zip(scenes.items(), values, strict=True):
        expect.close(got, want, rtol=1e-9, what=f"two events, {words}", unit="us")


@check("8.2.c", row="timing", level="pass")
def test_timers_in_any_program(student, draw, expect):
    """In random programs over three streams each timer prints what a brute-force scheduler says."""
    calls = []
    for policy in (*POLICIES, *POLICIES):
        before = _program(draw, draw.integer(0, 6), prefix="old")
        region = _program(draw, draw.integer(1, 6), prefix="new")
        calls.append(((before, region, policy, draw.integer(0, 3)), {}))
    calls.append((([], _region(draw, 2), "honest"), {}))
    pause = _op("pause", None, draw.integer(20, 50))
    for policy in POLICIES:
        calls.append((([], [*_region(draw, 2), pause], policy, 3), {}))
    for (arguments, _), got in zip(calls, _values(student, expect, "measured", calls), strict=True):
        before, region, policy = arguments[:3]
        want = _printed(before, region, policy, arguments[3] if len(arguments) > 3 else 1)
        words = f"the {policy} timer of {_told(region)} after {_told(before) or 'nothing'}"
        expect.close(got, want, rtol=1e-9, what=words, unit="us")


@check("8.2.c", row="timing", level="strong")
def test_one_sync_moves_one_number(student, draw, expect):
    """Taking away the start sync adds the older work; taking away the end sync loses the kernels."""
    launch, sync = draw.integer(3, 9), draw.integer(1, 5)
    old, work, kernels = draw.integer(300, 900), draw.integer(60, 120), draw.integer(3, 6)
    before = [_op("old", "main", 0, old)]
    region = [_op(f"k{i}", "main", launch, work) for i in range(kernels)]
    calls = [((before, region, policy, sync), {}) for policy in POLICIES]
    printed = dict(zip(POLICIES, _values(student, expect, "measured", calls), strict=True))
    want = {
        "naive": kernels * launch,
        "start_only": kernels * launch,
        "end_only": old + kernels * work + sync,
        "honest": launch + kernels * work + sync,
        "every_op": kernels * (launch + work + sync),
    }
    for policy in POLICIES:
        expect.close(printed[policy], want[policy], rtol=1e-9, what=f"the {policy} timer", unit="us")


@check("8.2.c", row="timing", level="pass")
def test_timers_that_there_are_not(student, draw, expect):
    """Unknown timers, programs that are none, and events over several streams are refused."""
    one, two = _op("a", "main", 5, 9), _op("b", "side", 5, 9)
    cases = [
        ("if the policy is another word", ([], [one], "best"), {}),
        ("if a name is in both parts", ([one], [one], "naive"), {}),
        ("if a time is negative", ([], [_op("a", "main", -5)], "honest"), {}),
        ("if events are asked of two streams", ([], [one, two], "events"), {}),
        ("if events are asked of no stream", ([one], [_op("h", None, 5)], "events"), {}),
        ("if a time is NaN and events are asked", ([], [_op("a", "main", math.nan)], "events"), {}),
    ]
    _refusals(student, expect, "measured", cases)


# 8.2.d overlap_makespan


def _boxes(n, copy, compute, buffers):
    """Return the end of n batches by living through a program of two streams."""
    copies = [copy] * n if isinstance(copy, int) else copy
    computes = [compute] * n if isinstance(compute, int) else compute
    ops = []
    for i in range(n):
        after = [f"use{i - buffers}"] if i >= buffers else []
        ops += [_op(f"copy{i}", "copy", 0, copies[i], after=after),
                _op(f"use{i}", "main", 0, computes[i], after=[f"copy{i}"])]  # fmt: skip
    overlapped, serial = _lived(ops)["device"], sum(copies) + sum(computes)
    return {
        "serial": serial,
        "overlapped": overlapped,
        "idle": overlapped - sum(computes),
        "speedup": serial / overlapped if overlapped else 1.0,
    }


def _overlaps(student, expect, cases):
    calls = [(case, {}) for case in cases]
    for case, got in zip(cases, _values(student, expect, "overlap_makespan", calls), strict=True):
        n, copy, compute, *rest = case
        words = f"{n} batches, copies {copy}, computations {compute}, {(rest or [2])[0]} buffers"
        want = _boxes(*case) if rest else _boxes(*case, 2)
        expect.keys(got, want, what=f"the result ({words})")
        for key in ("serial", "overlapped", "idle", "speedup"):
            expect.close(got[key], want[key], rtol=1e-9, what=f"{key} ({words})")


@check("8.2.d", row="timing", level="pass")
def test_copies_hide_behind_computation(student, draw, expect):
    """With two buffers the first copy sticks out, or the last computation, and the rest is hidden."""
    short, long, n = draw.integer(2, 9), draw.integer(20, 40), draw.integer(3, 8)
    _overlaps(student, expect, [(n, short, long), (n, long, short), (n, long, long), (1, 5, 7)])


@check("8.2.d", row="timing", level="pass")
def test_one_buffer_hides_nothing(student, draw, expect):
    """A copy waits for a buffer: with one nothing overlaps, and more of them help if times vary."""
    n = draw.integer(4, 7)
    cases = [(n, draw.integer(3, 9), draw.integer(3, 9), 1)]
    for buffers in (1, 2, 3, n, n + 3):
        cases.append((n, draw.integers(0, 30, n), draw.integers(0, 30, n), buffers))
    early = [1, 1, 1, 30, 1]  # a third buffer lets the long copy start before a long computation ends
    cases += [(5, early, [20, 20, 20, 1, 1], buffers) for buffers in (2, 3)]
    _overlaps(student, expect, cases)


@check("8.2.d", row="timing", level="pass")
def test_overlap_with_little_to_do(student, draw, expect):
    """No batches, copies that take no time, computations that take none, one number for all."""
    n, time = draw.integer(2, 6), draw.integer(3, 30)
    _overlaps(student, expect, [(0, 3, 4, 2), (n, 0, time, 2), (n, time, 0, 2), (n, 0, 0, 1),
                                (n, [time] * n, 4, 2), (n, 4, [time] * n, 2), (0, [], [], 1)])  # fmt: skip


@check("8.2.d", row="timing", level="pass")
def test_overlap_that_makes_no_sense(student, draw, expect):
    """No buffer, a negative number, impossible times and lists of another length are refused."""
    cases = [
        ("without a buffer", (3, 1, 2, 0), {}),
        ("for fewer batches than none", (-1, 1, 2, 2), {}),
        ("if there are too few copies", (3, [1, 2], 2, 2), {}),
        ("if there are too many computations", (3, 1, [1, 2, 3, 4], 2), {}),
    ]
    for word, value in BAD.items():
        cases.append((f"if a copy is {word}", (2, value, 2, 2), {}))
        cases.append((f"if a computation is {word}", (2, 1, [1, value], 2), {}))
    _refusals(student, expect, "overlap_makespan", cases)


# 8.2.f bottleneck

WORDS = ("launch", "compute", "copy", "sync")


def _without(ops, word):
    changed = []
    for op in ops:
        if word == "launch":
            changed.append({**op, "launch": 0})
        elif word == "sync":
            changed.append({**op, "waits": []})
        else:
            changed.append({**op, "device": 0} if op.get("kind") == word else op)
    return changed


def _bound(ops, sync):
    total = _lived(ops, sync)["total"]
    savings = {word: total - _lived(_without(ops, word), sync)["total"] for word in WORDS}
    return {"bound": max(WORDS, key=savings.get), "total": total, "savings": savings}


def _bounds(student, expect, programs, sync=1):
    calls = [((ops, sync), {}) for ops in programs.values()]
    for (words, ops), got in zip(
        programs.items(), _values(student, expect, "bottleneck", calls), strict=True
    ):
        want = _bound(ops, sync)
        expect.keys(got, want, what=f"the result ({words})")
        expect.close(got["total"], want["total"], rtol=1e-9, what=f"total ({words})", unit="us")
        what = f"savings ({words})"
        expect.close(got["savings"], want["savings"], rtol=1e-9, what=what, unit="us")
        expect.equal(got["bound"], want["bound"], what=f"bound ({words})")


def _steps(n, launch, work, kind="compute", every=0):
    ops = []
    for i in range(n):
        op = _op(f"{kind}{i}", kind, launch, work, kind=kind)
        ops.append({**op, "waits": [op["name"]]} if every and i % every == 0 else op)
    return ops


@check("8.2.f", row="timing", level="pass")
def test_four_kinds_of_bottleneck(student, draw, expect):
    """Slow launches, long kernels, long copies and many waits are told apart."""
    n, long = draw.integer(6, 10), draw.integer(30, 50)
    programs = {
        "slow launches": _steps(n, long, 3),
        "long kernels": _steps(n, 3, long),
        "long copies beside short kernels": [*_steps(n, 2, long, "copy"), *_steps(n, 2, 9)],
        "a wait after every kernel": _steps(n * 3, 20, 20, every=1),
    }
    _bounds(student, expect, programs, sync=5)


@check("8.2.f", row="timing", level="pass")
def test_a_hidden_cost_saves_nothing(student, draw, expect):
    """A cost that is hidden behind another saves nothing, however large its sum is."""
    n, work = draw.integer(5, 8), draw.integer(20, 30)
    copies = [
        {**op, "device": work - 1} for op in _steps(n, 0, work, "copy")
    ]  # nearly as long in sum, and hidden
    programs = {
        "copies hidden behind kernels": [*copies, *_steps(n, 0, work), *_steps(1, 0, 5, "copy_")],
        "launches hidden behind kernels": _steps(n, work - 1, work),
        "equal savings": [_op("copy", "a", 0, work, kind="copy"), _op("k", "a", 0, work, kind="compute")],
    }  # fmt: skip
    programs["copies hidden behind kernels"][-1]["kind"] = "compute"
    _bounds(student, expect, programs)


@check("8.2.f", row="timing", level="pass")
def test_what_any_program_is_bound_by(student, draw, expect):
    """In random programs each cost is worth what taking it away saves."""
    programs = {}
    while len(programs) < 12:
        ops = _program(draw, draw.integer(2, 10))
        if max(_bound(ops, 2)["savings"].values()) > 0:
            programs[f"random program {len(programs)}: {_told(ops)}"] = ops
    _bounds(student, expect, programs, sync=2)


@check("8.2.f", row="timing", level="pass")
def test_no_bottleneck(student, draw, expect):
    """A program that takes no time, of unknown kinds, or that is none, is refused."""
    good = _op("k", "main", 1, 5, kind="compute")
    cases = [
        ("for an empty program", ([],), {}),
        ("if nothing takes any time", ([_op("k", "main", kind="copy")],), {}),
        ("if the kind is another word", ([good, _op("b", "main", 1, 1, kind="other")],), {}),
        ("if the kind is missing", ([good, _op("b", "main", 1, 1)],), {}),
        ("if a time is negative", ([{**good, "launch": -1}],), {}),
    ]
    _refusals(student, expect, "bottleneck", cases)
