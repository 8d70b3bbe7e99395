"""Hidden checks of unit 8.9, PyTorch stage: structure is exact, times come from a clock by hand."""

from __future__ import annotations

import math
import re
from itertools import combinations, pairwise
from numbers import Real

from grader.checks import check
from grader.sandbox.limits import Limits

INNER = ("transfer", "forward", "backward", "optimizer")
PHASES = ("data_wait", *INNER)
ROWS = (*PHASES, "residual")
TICK = 2**-10
"""Times are multiples of this [s], so that sums and differences are exact in any order."""


def _costs(draw, **at_least):
    """Return the time of each phase [s]."""
    return {name: draw.integer(1, 60) * TICK + at_least.get(name, 0) for name in INNER}


def _named(ranges, name):
    return [(start, end) for found, start, end in ranges if found == name]


def _within(inner, outer):
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _run(student, expect, probe, case, limits=None):
    """Run a probe and return what it saw; the process must be left as it was found."""
    seen = student.run("watched", {**case, "probe": probe}, limits)
    expect.equal(seen["changed"], [], what="settings of the process that were left changed")
    return seen["value"]


def _refused(student, expect, why, probe, case, error="ValueError"):
    answer = student.attempt(probe, case)
    refused = answer.status == "raised" and answer.error.type == error
    seen = answer.error.type if answer.error else "no error"
    expect.that(refused, f"The function must raise {error} {why}.", None if refused else seen)


# 8.9.j annotated_step


def _annotated(student, draw, expect):
    case = {"costs": [_costs(draw), _costs(draw)], "scratch": student.scratch}
    return case["costs"], _run(student, expect, "annotated", case)


@check("8.9.j", row="timing", level="pass")
def test_one_range_a_phase(student, draw, expect):
    """Each phase runs inside its own range, one after another inside train_step."""
    _, seen = _annotated(student, draw, expect)
    expect.equal(seen["profiled"]["calls"], list(INNER), what="the calls of the trainer")
    expect.equal(seen["bare"]["calls"], 2 * list(INNER), what="the calls of two bare steps")
    expect.equal(seen["bare"]["tools"], [], what="tools that ran although no profiler was asked")
    ranges = seen["ranges"]
    for name in ("train_step", *INNER):
        expect.equal(len(_named(ranges, name)), 1, what=f"ranges named {name}")
    step = _named(ranges, "train_step")[0]
    spans = [_named(ranges, name)[0] for name in INNER]
    for name, span in zip(INNER, spans, strict=True):
        expect.that(_within(span, step), f"{name} is not inside train_step.")
        work = _named(ranges, f"work:{name}")[0]
        expect.that(_within(work, span), f"The work of {name} is not inside its range.")
    for name, (before, after) in zip(INNER[1:], pairwise(spans), strict=True):
        expect.that(before[1] <= after[0], f"{name} begins before the phase in front of it ends.")


@check("8.9.j", row="timing", level="pass")
def test_times_by_the_clock(student, draw, expect):
    """The times are those of the clock that was handed in, and the loss holds no graph."""
    costs, seen = _annotated(student, draw, expect)
    for way in ("bare", "profiled"):
        for cost, seconds in zip(costs, seen[way]["seconds"], strict=False):
            expect.keys(seconds, ["train_step", *INNER], what="seconds")
            got = {name: seconds[name] for name in ("train_step", *INNER)}
            want = {**cost, "train_step": sum(cost.values())}
            expect.close(got, want, rtol=1e-9, what=f"seconds ({way})", unit="s")
        expect.that(
            seen[way]["tensors"], "The loss must be a tensor: .item() waits for the device."
        )
        expect.that(not seen[way]["graph"], "The loss still holds its graph: detach it.")
        want = [6.0] * len(seen[way]["losses"])
        expect.close(seen[way]["losses"], want, rtol=1e-6, what="loss")
    waits = "aten::_local_scalar_dense" in seen["operators"]
    expect.that(not waits, "The step reads a number out of a tensor, which waits for the device.")


def _readings(span):
    """Return between which readings of a clock that doubles a time lies, None if no two."""
    if not _is_number(span) or not math.isfinite(span) or span <= 0 or span != int(span):
        return None
    begin = int(span) & -int(span)
    end = int(span) + begin
    return (begin, end) if end & (end - 1) == 0 else None


@check("8.9.j", row="timing", level="pass")
def test_the_step_is_timed_as_a_whole(student, draw, expect):
    """The time of train_step lasts from before its first phase to after its last, gaps included."""
    seconds = _run(student, expect, "read_clock", {})
    expect.keys(seconds, ["train_step", *INNER], what="seconds")
    spans = {name: _readings(seconds[name]) for name in ("train_step", *INNER)}
    for name, span in spans.items():
        expect.that(span is not None, f"{name} is not the time between two readings of the clock.")
    for name in INNER:
        fine = _within(spans[name], spans["train_step"])
        expect.that(fine, f"The clock is read for {name} outside the time of train_step.")
    for name, after in pairwise(INNER):
        fine = spans[name][1] <= spans[after][0]
        expect.that(fine, f"The time of {after} begins before that of {name} ends.")


# 8.9.k profile_steps


PLAN = {"wait": 1, "warmup": 2, "active": 3, "repeat": 1}


def _case(student, draw, plan, folder="", waits=None, scale=1, **more):
    """Return a case of `profiled` whose iterations differ; slow outside the active windows."""
    window = plan["wait"] + plan["warmup"] + plan["active"]
    count = window * plan["repeat"]
    active = [i % window >= plan["wait"] + plan["warmup"] for i in range(count)]
    costs = [
        {name: cost * (1 if used else scale) for name, cost in _costs(draw).items()}
        for used in active
    ]
    waits = waits or [draw.integer(70, 90) * TICK * (1 if used else scale) for used in active]
    case = {"costs": costs, "waits": waits, "plan": plan, "folder": folder}
    return {**case, "scratch": student.scratch, **more}, active


def _truth(case, active):
    """Return the true columns of the active iterations."""
    count, waits, start = len(case["costs"]), case["waits"], case.get("start", 0.0)
    rounds = [start + waits[0], *waits[1:]]
    columns = {"data_wait": [rounds[i % len(rounds)] for i in range(count)]}
    columns |= {name: [cost[name] for cost in case["costs"]] for name in INNER}
    columns = {
        name: [value for value, used in zip(values, active, strict=True) if used]
        for name, values in columns.items()
    }
    slack = case.get("slack") or [0.0] * count
    residual = [value for value, used in zip(slack, active, strict=True) if used]
    return {**columns, "residual": residual}


def _rank(values, q):
    ordered, place = sorted(values), q * (len(values) - 1)
    low = math.floor(place)
    high = min(low + 1, len(values) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def _column(expect, table, key):
    expect.keys(table, ["steps", "rows", "slowest", "traces"], what="the result")
    expect.keys(table["rows"], ROWS, what="rows")
    for name in ROWS:
        expect.keys(table["rows"][name], [key], what=f"row {name}")
    return {name: table["rows"][name][key] for name in ROWS}


def _shares(expect, table, columns):
    whole = sum(sum(values) for values in columns.values())
    want = {name: sum(values) / whole for name, values in columns.items()}
    got = _column(expect, table, "share")
    expect.close(got, want, rtol=1e-9, atol=1e-12, what="share of each row")


def _percentiles(expect, table, columns):
    for key, q in (("p50", 0.5), ("p90", 0.9)):
        want = {name: _rank(values, q) for name, values in columns.items()}
        got = _column(expect, table, key)
        expect.close(got, want, rtol=1e-9, atol=1e-12, what=f"{key} of each row", unit="s")


@check("8.9.k", row="timing", level="pass")
def test_the_wait_is_outside_the_step(student, draw, expect):
    """A slow loader shows as data wait, in the table and in the trace, and not as forward."""
    plan = {"wait": 0, "warmup": 1, "active": 3, "repeat": 1}
    case, active = _case(student, draw, plan, folder="waits")
    seen = _run(student, expect, "profiled", case)
    _shares(expect, seen["table"], _truth(case, active))
    expect.equal(seen["table"]["slowest"], "data_wait", what="slowest")
    ranges = [r for trace in seen["traces"] for r in trace.get("ranges", [])]
    loads, steps = _named(ranges, "work:load"), _named(ranges, "train_step")
    waits = _named(ranges, "data_wait")
    expect.that(len(loads) > 0, "There is no trace of the loader's work.")
    for load in loads:
        inside = any(_within(load, step) for step in steps)
        expect.that(not inside, "The loader works inside train_step: fetch the batch before it.")
        fine = any(_within(load, wait) for wait in waits)
        expect.that(fine, "The loader works outside a range named data_wait.")


@check("8.9.k", row="timing", level="pass")
def test_only_active_steps_count(student, draw, expect):
    """Waiting and warm-up iterations run, but no number of the table contains them."""
    plan = {**PLAN, "repeat": 2}
    case, active = _case(student, draw, plan, scale=16)
    seen = _run(student, expect, "profiled", case)
    expect.equal(seen["iterations"], len(active), what="iterations that were run")
    _percentiles(expect, seen["table"], _truth(case, active))
    expect.equal(seen["table"]["steps"], sum(active), what="steps")


@check("8.9.k", row="timing", level="pass")
def test_each_iteration_waits_for_one_batch(student, draw, expect):
    """Making the iterator counts as waiting, too, and each batch comes from trainer.fetch."""
    plan = {"wait": 0, "warmup": 0, "active": 5, "repeat": 1}
    waits = [draw.integer(10, 90) * TICK for _ in range(3)]
    case, active = _case(student, draw, plan, waits=waits, start=500 * TICK)
    seen = _run(student, expect, "profiled", case)
    _shares(expect, seen["table"], _truth(case, active))
    expect.equal(seen["handed"], 5, what="batches the loader handed out in 5 iterations")
    expect.equal(seen["fetched"], 5, what="batches that came through trainer.fetch")


@check("8.9.k", row="timing", level="pass")
def test_the_slowest_phase_by_its_median(student, draw, expect):
    """The slowest phase has the largest p50, not the largest sum; of equal ones it is the first."""
    plan = {"wait": 0, "warmup": 0, "active": 5, "repeat": 1}
    case, _ = _case(student, draw, plan, waits=[TICK] * 5)
    first, second, rare = sorted(draw.shuffled(INNER)[:3], key=INNER.index)
    for cost in case["costs"]:
        cost[first] = cost[second] = 100 * TICK
    case["costs"][3][rare] = 3000 * TICK
    seen = _run(student, expect, "profiled", case)
    expect.keys(seen["table"], ["slowest"], what="the result")
    expect.equal(seen["table"]["slowest"], first, what="slowest of two equal phases")
    for cost in case["costs"]:
        cost[second] += TICK
    seen = _run(student, expect, "profiled", case)
    expect.keys(seen["table"], ["slowest"], what="the result")
    what = "slowest phase, where another one was slow once"
    expect.equal(seen["table"]["slowest"], second, what=what)


@check("8.9.k", row="timing", level="pass")
def test_the_residual_is_what_is_left(student, draw, expect):
    """What train_step takes beyond its four phases is in the residual, and is no phase."""
    plan = {"wait": 0, "warmup": 0, "active": 4, "repeat": 1}
    slack = [draw.integer(200, 900) * TICK] * 4
    case, active = _case(student, draw, plan, slack=slack)
    seen = _run(student, expect, "profiled", case)
    columns = _truth(case, active)
    whole = sum(sum(values) for values in columns.values())
    want = {"p50": slack[0], "p90": slack[0], "share": sum(slack) / whole}
    got = {key: _column(expect, seen["table"], key)["residual"] for key in want}
    expect.close(got, want, rtol=1e-9, what="the residual")
    expect.equal(seen["table"]["slowest"], "data_wait", what="slowest, the residual left out")


@check("8.9.k", row="timing", level="pass")
def test_a_trace_for_each_window(student, draw, expect):
    """Every window leaves a trace that viewers read, with its active steps and no others."""
    plan = {"wait": 1, "warmup": 1, "active": 2, "repeat": 2}
    # a loader of three batches has to be started again
    waits = [draw.integer(70, 90) * TICK for _ in range(3)]
    case, active = _case(student, draw, plan, folder="windows", waits=waits)
    seen = _run(student, expect, "profiled", case)
    expect.equal(seen["iterations"], len(active), what="iterations that were run")
    expect.keys(seen["table"], ["traces"], what="the result")
    expect.equal(len(seen["traces"]), 2, what="traces")
    paths = [str(path) for path in seen["table"]["traces"]]
    expect.equal(len(set(paths)), 2, what="different files")
    for number, trace in enumerate(seen["traces"]):
        expect.that(not trace["problem"], f"Trace {number} cannot be read: {trace['problem']}.")
        for name in ("train_step", *INNER):
            found = len(_named(trace["ranges"], name))
            expect.equal(found, 2, what=f"ranges named {name} in trace {number}")
        # where the loader ends, the fetch that failed may have a range of its own
        found = len(_named(trace["ranges"], "data_wait"))
        expect.between(found, 2, 3, what=f"ranges named data_wait in trace {number}")
        marks = [r for r in trace["ranges"] if r[0].startswith("ProfilerStep#")]
        expect.equal(len(marks), 2, what=f"steps the profiler marked in trace {number}")
    plan = {"wait": 0, "warmup": 1, "active": 1, "repeat": 1}
    case, _ = _case(student, draw, plan, folder="there", exists=True)
    seen = _run(student, expect, "profiled", case)
    expect.equal(len(seen["traces"]), 1, what="traces in a folder that is there already")


@check("8.9.k", row="timing", level="pass")
def test_no_debugging_tool_is_on(student, draw, expect):
    """Nothing that slows a step is switched on, and without a folder no profiler runs at all."""
    plan = {"wait": 0, "warmup": 1, "active": 1, "repeat": 1}
    case, _ = _case(student, draw, plan, folder="clean")
    seen = _run(student, expect, "profiled", case)
    expect.that("anomaly detection" not in seen["tools"], "Anomaly detection is on.")
    flags = sorted({flag for trace in seen["traces"] for flag in trace.get("flags", [])})
    expect.equal(flags, [], what="what the profiler recorded besides times")
    case, _ = _case(student, draw, plan)
    seen = _run(student, expect, "profiled", case)
    expect.equal(seen["tools"], [], what="tools that ran without a trace folder")
    expect.keys(seen["table"], ["traces"], what="the result")
    expect.equal(seen["table"]["traces"], [], what="traces without a folder")


@check("8.9.k", row="timing", level="pass")
def test_a_plan_that_measures_nothing(student, draw, expect):
    """No active step, no window, and an empty loader are refused."""
    case, _ = _case(student, draw, PLAN)
    for change, why in (
        ({"active": 0}, "if no step is active"),
        ({"repeat": 0}, "for no window"),
        ({"warmup": -1}, "if a number is negative"),
        ({"wait": -1}, "if a number is negative"),
    ):
        _refused(student, expect, why, "profiled", {**case, "plan": {**PLAN, **change}})
    _refused(student, expect, "if the loader is empty", "profiled", {**case, "waits": []})
    empty = {**case, "waits": [], "folder": "empty"}
    _refused(student, expect, "if the loader is empty, under a profiler too", "profiled", empty)


# 8.9.l operator_table


ROW_KEYS = ("name", "shapes", "count", "self_us", "total_us", "device_us", "self_bytes",
            "total_bytes")  # fmt: skip


def _operators(student, draw, expect, by_shape, shapes=True, memory=True):
    case = {"m": draw.integer(3, 9), "k": draw.integer(10, 19), "n": draw.integer(20, 29),
            "wide": draw.integer(30, 39), "narrow_calls": draw.integer(2, 4), "wide_calls": 5,
            "by_shape": by_shape, "shapes": shapes, "memory": memory,
            "range": draw.name()}  # fmt: skip
    seen = _run(student, expect, "operators", case)
    _rows(expect, seen["table"])
    return case, seen["table"], seen["raw"]


def _rows(expect, table):
    expect.that(isinstance(table, list) and len(table) > 0, "The table must be a list of rows.")
    for row in table:
        expect.keys(row, ROW_KEYS, what="a row")
        expect.that(isinstance(row["name"], str), "The name of a row must be text.")
        fine = all(_is_number(row[key]) for key in ("count", "self_us", "total_us"))
        expect.that(fine, f"Count and times of {row['name']} must be numbers.")


def _own_rows(expect, table, raw, by_shape):
    """Hold the times and bytes of each row against the sums over its events."""
    key = (lambda row: str([row["name"], row["shapes"]])) if by_shape else (lambda r: r["name"])
    found = {key(row): row for row in table}
    for truth in raw:
        row = found.get(key(truth))
        expect.that(row is not None, f"{truth['name']} has no row.")
        for name in ("self_us", "total_us"):
            # the message carries no number: times differ from run to run
            why = f"{name} of {truth['name']} is not the {name.split('_')[0]} time of its events."
            expect.that(_same_times(row, truth, name), why)
        expect.equal(row["device_us"], 0, what=f"device time of {truth['name']} on a CPU")
        names = ("count", "self_bytes", "total_bytes")
        got, want = [row[name] for name in names], [truth[name] for name in names]
        expect.equal(got, want, what=f"count and bytes of {truth['name']}")
    times = [row["self_us"] for row in table]
    expect.that(times == sorted(times, reverse=True), "The rows are not sorted by self time.")


def _is_number(value):
    return isinstance(value, Real) and not isinstance(value, bool)


def _same_times(row, raw, key):
    return math.isclose(row[key], raw[key], rel_tol=1e-6, abs_tol=1e-3)


@check("8.9.l", row="timing", level="pass")
def test_two_shapes_are_two_rows(student, draw, expect):
    """An operator that was called with two shapes has a row, and a count, for each."""
    case, table, raw = _operators(student, draw, expect, by_shape=True)
    products = [row for row in table if row["name"] == "aten::mm"]
    for row in products:
        expect.that(isinstance(row["shapes"], list), "Each row must have a list of shapes.")
    found = sorted(([row["shapes"][:2], row["count"]] for row in products), key=str)
    m, k, n, wide = (case[name] for name in ("m", "k", "n", "wide"))
    calls = [[[[m, k], [k, n]], case["narrow_calls"]], [[[m, k], [k, wide]], 5]]
    want = sorted(calls, key=str)
    expect.equal(found, want, what="shapes and counts of aten::mm")
    size = {str(row["shapes"][:2]): row["total_bytes"] for row in products}
    want = {str([[m, k], [k, n]]): 4 * m * n * case["narrow_calls"],
            str([[m, k], [k, wide]]): 4 * m * wide * 5}  # fmt: skip
    expect.equal(size, want, what="total bytes of aten::mm", unit="B")
    _own_rows(expect, table, raw, by_shape=True)


@check("8.9.l", row="timing", level="pass")
def test_self_and_total_of_operators(student, draw, expect):
    """Self and total are kept apart, in time and memory, and the largest self time comes first."""
    case, table, raw = _operators(student, draw, expect, by_shape=False)
    calls = case["narrow_calls"] + 5
    by_name = {row["name"]: row for row in table}
    expect.keys(by_name, ["aten::mm", "aten::conv2d", "aten::empty"], what="the names")
    expect.equal(by_name["aten::mm"]["count"], calls, what="calls of aten::mm in one row")
    shapes = [row["shapes"] for row in table if row["shapes"] is not None]
    expect.equal(shapes, [], what="shapes when rows are not split by shape")
    conv = by_name["aten::conv2d"]
    output = 4 * 3 * 6 * 6
    got = [conv["self_bytes"], conv["total_bytes"]]
    expect.equal(got, [0, output], what="self and total bytes of aten::conv2d", unit="B")
    _own_rows(expect, table, raw, by_shape=False)


@check("8.9.l", row="timing", level="pass")
def test_not_measured_is_not_zero(student, draw, expect):
    """Memory that was not recorded is None, and shapes that were not recorded are refused."""
    for shapes in (False, True):
        _, table, _ = _operators(student, draw, expect, by_shape=False, shapes=shapes, memory=False)
        sizes = [row[key] for row in table for key in ("self_bytes", "total_bytes")]
        measured = [size for size in sizes if size is not None]
        expect.that(not measured, "Bytes are reported although the profile recorded no memory.")
    _, table, _ = _operators(student, draw, expect, by_shape=False, shapes=False)
    missing = any(row[key] is None for row in table for key in ("self_bytes", "total_bytes"))
    expect.that(not missing, "Bytes are missing although the profile recorded memory.")
    case = {"m": 2, "k": 3, "n": 4, "wide": 5, "narrow_calls": 1, "wide_calls": 1,
            "by_shape": True, "shapes": False, "memory": True, "range": "one"}  # fmt: skip
    _refused(student, expect, "if shapes were not recorded", "operators", case)


# 8.9.m reconcile_flops


RECONCILED = ("hand", "counted", "missing", "excluded", "included", "unexplained")


def _model(draw):
    """Return sizes of the probe's attention and the hand count of its forward."""
    # with these t and d no two different sets of terms have the same sum
    b, t, h = draw.integer(2, 3), draw.integer(10, 11), draw.integer(2, 3)
    d = h * draw.integer(5, 9)
    pair = 2 * b * t * t * d
    hand = {"qkv": 6 * b * t * d * d, "scores": pair, "values": pair,
            "projection": 2 * b * t * d * d}  # fmt: skip
    return {"b": b, "t": t, "d": d, "h": h}, hand


def _reconcile(student, expect, sizes, hand, kind, backward=False):
    case = {**sizes, "kind": kind, "backward": backward, "hand": hand}
    return _reported(expect, _run(student, expect, "reconciled", case))


def _reported(expect, seen):
    expect.keys(seen["report"], RECONCILED, what="the result")
    return seen["report"]


def _fewest(hand, missing):
    """Return the sets of as few terms as possible that add up to what is missing."""
    for size in range(len(hand) + 1):
        found = [names for names in combinations(hand, size)
                 if sum(hand[name] for name in names) == missing]  # fmt: skip
        if found:
            return [list(names) for names in found]
    return [[]]


@check("8.9.m", row="prediction", level="pass")
def test_attention_is_named_as_not_counted(student, draw, expect):
    """On a CPU the counter misses the fused attention, and the report says so by name."""
    sizes, hand = _model(draw)
    hand = {"qkv": hand["qkv"], "attention": 2 * hand["scores"], "projection": hand["projection"]}
    got = _reconcile(student, expect, sizes, hand, "sdpa")
    total = sum(hand.values())
    want = {"hand": total, "counted": total - hand["attention"], "missing": hand["attention"],
            "unexplained": 0}  # fmt: skip
    expect.equal({key: got[key] for key in want}, want, what="the numbers", unit="FLOP")
    expect.equal(got["excluded"], ["attention"], what="excluded")
    expect.equal(got["included"], ["qkv", "projection"], what="included")
    manual = _reconcile(student, expect, sizes, hand, "manual")
    want = {"missing": 0, "excluded": [], "included": list(hand), "unexplained": 0}
    expect.equal({key: manual[key] for key in want}, want, what="attention by hand")


@check("8.9.m", row="prediction", level="pass")
def test_several_terms_and_none(student, draw, expect):
    """Two missing terms are both named, and a gap that no term explains stays unexplained."""
    sizes, hand = _model(draw)
    b, t, d = sizes["b"], sizes["t"], sizes["d"]
    qkv = hand["qkv"]
    hand = {"qkv": qkv, "attention": 2 * hand["scores"], "projection": hand["projection"],
            "softmax": 3 * b * sizes["h"] * t * t}  # fmt: skip
    got = _reconcile(student, expect, sizes, hand, "sdpa")
    expect.equal(got["excluded"], ["attention", "softmax"], what="excluded")
    expect.equal(got["included"], ["qkv", "projection"], what="included")
    # one step: the data needs no gradient, so the first product has one backward product
    step = {"forward": qkv + 4 * b * t * t * d + hand["projection"], "qkv_weights": qkv,
            "qkv_input": qkv, "attention_backward": 8 * b * t * t * d,
            "projection_backward": 2 * hand["projection"]}  # fmt: skip
    got = _reconcile(student, expect, sizes, step, "manual", backward=True)
    expect.equal(got["missing"], qkv, what="missing of a step after the 3x rule", unit="FLOP")
    fine = got["excluded"] in (["qkv_weights"], ["qkv_input"])
    why = "The first product's input gradient is what is missing."
    expect.that(fine, why, None if fine else got["excluded"])
    wrong = {**hand, "projection": hand["projection"] + 1}
    got = _reconcile(student, expect, sizes, wrong, "sdpa")
    want = {"excluded": [], "included": list(wrong), "unexplained": got["missing"]}
    expect.equal({key: got[key] for key in want}, want, what="a gap that no term explains")
    short = {"qkv": qkv}
    got = _reconcile(student, expect, sizes, short, "sdpa")
    expect.equal(got["unexplained"], -hand["projection"], unit="FLOP",
                 what="unexplained when the counter saw more")  # fmt: skip


@check("8.9.m", row="prediction", level="pass")
def test_the_fewest_terms_in_their_order(student, draw, expect):
    """Of the sets that explain what is missing the smallest is named, in the hand count's order."""
    sizes, plain = _model(draw)
    seen = plain["qkv"] + plain["projection"]
    for missing in (seen // 3, seen // 5):
        part = draw.integer(missing // 9, missing // 3)
        # the pair adds up to the same as the single term, and only one of the two is needed
        hand = {"scores": part, "values": missing - part, "attention": missing,
                "rest": seen - missing}  # fmt: skip
        for names in (list(hand), list(hand)[::-1]):
            turned = {name: hand[name] for name in names}
            got = _reconcile(student, expect, sizes, turned, "sdpa")
            expect.one_of(got["excluded"], _fewest(turned, missing), what="excluded")
    # four of six are missing, in an order that is neither that of their names nor of their sizes
    pair = 2 * plain["scores"]
    extra = {
        "mask": 2 * pair + 1,
        "softmax": pair + 3,
        "bias": 5 * pair + 7,
        "scale": 3 * pair + 17,
    }
    names = ["qkv", "mask", "softmax", "bias", "projection", "scale"]
    hand = {name: extra.get(name) or plain[name] for name in names}
    got = _reconcile(student, expect, sizes, hand, "sdpa")
    expect.one_of(got["excluded"], _fewest(hand, sum(extra.values())), what="excluded")
    expect.equal(got["unexplained"], 0, what="unexplained", unit="FLOP")
    # one FLOP that no set of sixteen even terms explains: each set is tried once, not each order
    many = {f"{draw.name()}_{number}": 2 * draw.integer(1, 99) for number in range(15)}
    many["rest"] = seen + 1 - sum(many.values())
    case = {**sizes, "kind": "sdpa", "backward": False, "hand": many}
    got = _reported(expect, _run(student, expect, "reconciled", case, Limits(wall=8.0, cpu=8.0)))
    expect.equal(got["included"], list(many), what="included when no set explains what is missing")


@check("8.9.m", row="prediction", level="pass")
def test_one_quiet_run_of_the_step(student, draw, expect):
    """The step runs once, as it is; neither its output nor the hand count is touched."""
    sizes, hand = _model(draw)
    case = {**sizes, "kind": "sdpa", "backward": False, "hand": hand}
    seen = _run(student, expect, "reconciled", case)
    expect.equal(len(seen["gradients"]), 1, what="runs of the step")
    expect.equal(seen["gradients"], [True], what="whether gradients are on in the step")
    quiet = "% Total" not in seen["printed"]
    expect.that(quiet, "The counter's table is on stdout: FlopCounterMode(display=False).")
    expect.equal(list(seen["hand"].items()), list(hand.items()), what="the hand count afterwards")


# 8.9.n loader_supply


SUPPLY = ("batches", "first", "p50", "p90", "rate", "covers")


def _supplied(student, expect, case):
    seen = _run(student, expect, "supplied", case)
    expect.keys(seen["supply"], SUPPLY, what="the result")
    return seen["supply"], seen


@check("8.9.n", row="timing", level="pass")
def test_supply_without_the_first_batch(student, draw, expect):
    """The rate is that of the batches after the first, which pays for the start."""
    waits = [300 * TICK] + [draw.integer(4, 20) * TICK for _ in range(9)]
    rest = waits[1:]
    case = {"waits": waits, "batches": None, "step_time": None}
    got, _ = _supplied(student, expect, case)
    want = {"batches": 10, "first": waits[0], "p50": _rank(rest, 0.5), "p90": _rank(rest, 0.9),
            "rate": len(rest) / sum(rest)}  # fmt: skip
    expect.close({key: got[key] for key in want}, want, rtol=1e-9, what="the result")
    expect.equal(got["covers"], None, what="covers without a step time")
    got, _ = _supplied(student, expect, {**case, "batches": 4})
    expect.equal(got["batches"], 4, what="batches when at most 4 are taken")
    expect.close(got["rate"], 3 / sum(rest[:3]), rtol=1e-9, what="rate of 3 batches", unit="1/s")
    _refused(student, expect, "for a single batch", "supplied", {**case, "waits": waits[:1]})


@check("8.9.n", row="timing", level="pass")
def test_supply_against_demand(student, draw, expect):
    """A loader covers a step that takes as long as its mean batch, or longer."""
    waits = [100 * TICK, 8 * TICK, 8 * TICK, 8 * TICK, 40 * TICK]
    for step_time, covers in ((16, True), (17, True), (15, False), (9, False)):
        case = {"waits": waits, "batches": None, "step_time": step_time * TICK}
        got, _ = _supplied(student, expect, case)
        expect.equal(got["covers"], covers, what=f"covers for a step of {step_time} ticks")


@check("8.9.n", row="timing", level="pass")
def test_one_pass_and_no_batch_more(student, draw, expect):
    """One pass takes as many batches as asked for and keeps none; starting it is in `first`."""
    waits, most = [draw.integer(4, 20) * TICK for _ in range(7)], draw.integer(3, 5)
    start = 200 * TICK
    case = {"waits": waits, "start": start, "batches": most, "step_time": None}
    for batches in (most, None, 9):
        got, seen = _supplied(student, expect, {**case, "batches": batches})
        expect.close(got["first"], start + waits[0], rtol=1e-9, unit="s",
                     what="first, with the start of the pass")  # fmt: skip
        taken = min(batches or 7, 7)
        expect.equal(seen["handed"], taken, what="batches that were taken")
        expect.equal(seen["passes"], 1, what="passes over the loader")
        expect.that(seen["kept"] <= 1, "The batches are still in memory afterwards.")
    _refused(student, expect, "for a single batch", "supplied", {**case, "batches": 1})


@check("8.9.n", row="timing", level="pass")
def test_times_of_zero(student, draw, expect):
    """Waits too short for the clock give an infinite rate, and a step time of 0 is a time."""
    case = {"waits": [0.0] * 4, "batches": None, "step_time": TICK}
    got, _ = _supplied(student, expect, case)
    expect.equal([got["rate"], got["p90"]], [math.inf, 0.0], what="rate and p90 of no wait")
    expect.equal(got["covers"], True, what="covers without any wait")
    case = {"waits": [TICK * draw.integer(1, 9)] * 4, "batches": None, "step_time": 0.0}
    got, _ = _supplied(student, expect, case)
    expect.equal(got["covers"], False, what="covers for a step that takes no time")


# 8.9.o verify_optimization


SPEEDS = {"gain": 1.25, "slower": 0.8, "null": 1.0}


def _times(draw, verdict, count=40):
    """Return paired times that are far from every line, on a machine that drifts."""
    mood = [1e-3 * (1 + index / 10) for index in range(count)]
    ratio = SPEEDS[verdict]
    old = [m * ratio * (1 + 0.004 * draw.uniform(-1, 1)) for m in mood]
    return {"old": old, "new": mood}


def _verify(student, draw, expect, variant, verdict="gain", controls=(("one", True),), **more):
    case = {"variant": variant, **_times(draw, verdict), "controls": [list(c) for c in controls],
            "seed": draw.integer(2, 99), **more}  # fmt: skip
    seen = _run(student, expect, "verified", case)
    report = seen["report"]
    for side, seeds in seen["seeds"].items():
        fine = case["seed"] in seeds
        expect.that(fine, f"No trainer of `{side}` was made with the seed that was asked for.")
    expect.keys(report, ["verdict", "failed", "controls", "speed"], what="the report")
    failed = report["failed"]
    fine = isinstance(failed, list) and all(isinstance(name, str) for name in failed)
    expect.that(fine, "`failed` must be a list of names.", failed)
    return {**report, "controls_run": seen["controls_run"]}


def _rejected(expect, report, part, why):
    expect.equal(report["verdict"], "reject", what=f"verdict on {why}")
    expect.that(part in report["failed"], f"{part} must fail for {why}.", report["failed"])


@check("8.9.o", row="optimization_validity", level="strong")
def test_gain_or_null(student, draw, expect):
    """The same code is a null result, never a gain; sound faster code is a gain."""
    report = _verify(student, draw, expect, "same", "null")
    expect.equal([report["verdict"], report["failed"]], ["null", []], what="the same code twice")
    report = _verify(student, draw, expect, "another order", "gain")
    expect.equal([report["verdict"], report["failed"]], ["gain", []],
                 what="a layer that adds in another order, 1.25 times faster")  # fmt: skip
    speed = report["speed"]
    expect.keys(speed, ["ratio", "low", "high", "verdict"], what="speed")
    expect.between(speed["ratio"], 1.24, 1.26, what="ratio")
    expect.between(speed["low"], 1.2, speed["ratio"], what="low")
    expect.between(speed["high"], speed["ratio"], 1.3, what="high")
    report = _verify(student, draw, expect, "same", "slower")
    expect.equal(report["verdict"], "slower", what="verdict on slower code")


@check("8.9.o", row="optimization_validity", level="strong")
def test_speed_by_the_median_and_its_interval(student, draw, expect):
    """The ratio is the median of the pairs, and its interval decides: few pairs tell nothing."""
    mood = [1e-3 * (1 + draw.uniform(0, 1)) for _ in range(40)]

    def speed(ratios):
        times = {"old": [m * r for m, r in zip(mood, ratios, strict=False)],
                 "new": mood[: len(ratios)]}  # fmt: skip
        report = _verify(student, draw, expect, "same", steps=1, **times)
        expect.equal(report["failed"], [], what="failed parts of the same code")
        keys = ["ratio", "low", "high", "verdict"]
        expect.keys(report["speed"], keys, what="speed")
        expect.equal(report["verdict"], report["speed"]["verdict"], what="verdict of sound code")
        return report["speed"]

    # half of the pairs at 1.10, half at 1.30, some of them far away
    got = speed(draw.shuffled([1.10] * 20 + [1.30] * 14 + [4.0] * 6))
    for key, middle in (("ratio", 1.2), ("low", 1.1), ("high", 1.3)):
        expect.between(got[key], middle - 0.01, middle + 0.01, what=f"{key} of two groups of pairs")
    expect.equal(got["verdict"], "gain", what="verdict, with the whole interval above 1.02")
    got = speed(draw.shuffled([0.8] * 19 + [1.4] * 21))
    expect.equal(got["verdict"], "inconclusive", what="verdict of pairs that do not agree")
    got = speed([1.25] * 19)
    expect.equal(got["verdict"], "inconclusive", what="verdict of 19 pairs")
    got = speed([1.25] * 20)
    expect.equal(got["verdict"], "gain", what="verdict of 20 pairs")


@check("8.9.o", row="optimization_validity", level="strong")
def test_sound_code_is_not_rejected(student, draw, expect):
    """Names of a compiled model, dropout and small noise are no reason to reject."""
    for variant, base, what in (
        ("compiled", "same", "a model with the names that torch.compile gives"),
        ("no seeding", "no seeding", "the same code, made without seeding the global RNG"),
        ("descent with noise", "descent", "logits that are off by 3e-5 of the largest"),
    ):
        report = _verify(student, draw, expect, variant, base=base)
        expect.equal([report["verdict"], report["failed"]], ["gain", []], what=what)


@check("8.9.o", row="optimization_validity", level="pass")
def test_nothing_agrees_by_accident(student, draw, expect):
    """NaN agrees with nothing, shapes are not broadcast, and losses are compared like logits."""
    for base in ("same", "NaN"):
        controls = [("one", False), ("two", True)]
        report = _verify(student, draw, expect, "NaN", base=base, controls=controls)
        want = ["outputs", "gradients", "losses", "controls"]
        failed = [part for part in report["failed"] if part != "resume"]
        expect.equal(failed, want, what="failed parts of a trainer with NaN, the resume left out")
        expect.equal(report["controls"], dict(controls), what="controls")
    for variant, why in (
        ("another axis", "logits with one axis more"),
        ("shifted in training", "logits that are shifted in training mode"),
        ("another loss", "a loss with a constant added"),
    ):
        report = _verify(student, draw, expect, variant)
        _rejected(expect, report, "outputs", why)
        fine = "gradients" not in report["failed"]
        expect.that(fine, f"The gradients are the same for {why}.", report["failed"])


@check("8.9.o", row="optimization_validity", level="pass")
def test_each_gradient_by_name_and_value(student, draw, expect):
    """One gradient that is off by a thousandth, in one entry, or under another name disagrees."""
    for variant, why in (
        ("one gradient", "one entry of a gradient off by a hundredth of the largest"),
        ("scaled gradient", "a gradient a thousandth too large"),
        ("renamed", "a model whose parameters have other names"),
    ):
        report = _verify(student, draw, expect, variant)
        _rejected(expect, report, "gradients", why)
        fine = "outputs" not in report["failed"]
        expect.that(fine, f"The outputs are the same for {why}.", report["failed"])


@check("8.9.o", row="optimization_validity", level="pass")
def test_a_skipped_backward_is_rejected(student, draw, expect):
    """A step that is faster because one layer gets no gradient is rejected."""
    report = _verify(student, draw, expect, "skipped backward")
    _rejected(expect, report, "gradients", "a layer whose backward is skipped")
    fine = "outputs" not in report["failed"]
    expect.that(fine, "The outputs of that step are the same; only its gradients are not.")


@check("8.9.o", row="optimization_validity", level="pass")
def test_changed_outputs_are_rejected(student, draw, expect):
    """Outputs beyond the declared tolerance are rejected; within it they are accepted."""
    report = _verify(student, draw, expect, "coarse outputs")
    _rejected(expect, report, "outputs", "logits rounded to bfloat16")
    report = _verify(student, draw, expect, "coarse outputs", rtol=0.3)
    expect.equal([report["verdict"], report["failed"]], ["gain", []],
                 what="the same logits with a declared tolerance of 0.3")  # fmt: skip


@check("8.9.o", row="optimization_validity", level="pass")
def test_a_step_unlike_its_phases_is_rejected(student, draw, expect):
    """A trainer whose step leaves out updates is rejected, however honest its phases are."""
    report = _verify(student, draw, expect, "skipped updates", steps=3)
    _rejected(expect, report, "losses", "a step that leaves out every second update")
    report = _verify(student, draw, expect, "skipped late updates", steps=4, late=6)
    expect.equal([report["verdict"], report["failed"]], ["reject", ["losses"]],
                 what="a trainer that leaves out the last two updates of eight")  # fmt: skip


@check("8.9.o", row="optimization_validity", level="pass")
def test_learning_controls_decide(student, draw, expect):
    """A failed control rejects, and a trainer that knows the answers fails the real one."""
    # none is left out, whatever the ones before it gave
    controls = [(draw.name(), True), (draw.name(6), False), (draw.name(7), True)]
    report = _verify(student, draw, expect, "same", "null", controls)
    expect.that(report["controls_run"] >= 3, "Not every control was run.")
    expect.equal(report["controls"], dict(controls), what="controls")
    expect.equal([report["verdict"], report["failed"]], ["reject", ["controls"]],
                 what="a trainer with a failed control")  # fmt: skip
    report = _verify(student, draw, expect, "known answers", shuffled=True)
    expect.equal(report["failed"], ["controls"], what="failed parts of a trainer with a leak")
    expect.equal(report["verdict"], "reject", what="verdict on a trainer with a leak")


@check("8.9.o", row="optimization_validity", level="strong")
def test_a_run_that_does_not_resume_is_rejected(student, draw, expect):
    """Every part of the state is needed: optimizer, RNG, position; and it must load."""
    kinds = {
        "no optimizer state": "a checkpoint with no optimizer state",
        "no RNG state": "a checkpoint with no RNG state",
        "no batch position": "a checkpoint with no batch position",
        "cannot load": "a checkpoint that cannot be loaded",
        "cannot find": "a checkpoint whose loading raises a KeyError",
    }
    for kind in draw.shuffled(list(kinds)):
        report = _verify(student, draw, expect, kind)
        expect.equal([report["verdict"], report["failed"]], ["reject", ["resume"]],
                     what=kinds[kind])  # fmt: skip


@check("8.9.o", row="optimization_validity", level="strong")
def test_resumed_bit_for_bit_in_another_process(student, draw, expect):
    """A resume can differ in a buffer alone, in the last bits of a loss, or in the RNG alone."""
    for kind, what in (
        ("a buffer left behind", "a buffer that is not restored and no loss depends on"),
        ("a count outside the state", "losses that differ by a millionth after the resume"),
        ("RNG kept in the process", "a checkpoint whose loading leaves the RNG as it is"),
    ):
        report = _verify(student, draw, expect, kind)
        expect.equal([report["verdict"], report["failed"]], ["reject", ["resume"]], what=what)


# 8.9.p closed_book_step


@check("8.9.p", row="timing", level="pass")
def test_closed_book(student, expect):
    """The trace of one annotated step is exported, and the largest of its phases is named."""
    seen = _run(student, expect, "closed_book", {"scratch": student.scratch})
    expect.that(not seen["problem"], f"The trace cannot be read: {seen['problem']}.")
    ranges, answer = seen["ranges"], seen["answer"]
    for name in ("train_step", *INNER):
        expect.equal(len(_named(ranges, name)), 1, what=f"ranges named {name} in the trace")
    step = _named(ranges, "train_step")[0]
    spans = {name: _named(ranges, name)[0] for name in INNER}
    for name in INNER:
        expect.that(_within(spans[name], step), f"{name} is not inside train_step.")
    for name, after in pairwise(INNER):
        expect.that(spans[name][1] <= spans[after][0], f"{after} begins before {name} ends.")
    few = len(seen["operators"]) < 10
    expect.that(not few, "The trace has hardly any operator: was a step profiled?")
    expect.keys(answer, ["trace", "train_step", "phases", "sentence"], what="the result")
    expect.keys(answer["phases"], INNER, what="phases")
    times = {name: (spans[name][1] - spans[name][0]) / 1000 for name in INNER}
    times["train_step"] = (step[1] - step[0]) / 1000
    told = {**answer["phases"], "train_step": answer["train_step"]}
    for name, time in times.items():
        fine = _is_number(told[name]) and abs(told[name] - time) <= max(1.0, 0.01 * time)
        expect.that(fine, f"The time of {name} is not that of the trace.")
    fine = sum(told[name] for name in INNER) <= told["train_step"] * (1 + 1e-9)
    expect.that(fine, "The phases add up to more than train_step.")
    largest = max(INNER, key=lambda name: told[name])
    sentence = str(answer["sentence"]).casefold()
    expect.that(len(sentence.split()) > 1, "The sentence is a single word.")
    # whole words: "straightforward" names no phase
    named = [name for name in INNER if re.search(f"(?<![a-z]){name}(?![a-z])", sentence)]
    expect.that(largest in named, "The sentence does not name the phase with the largest time.")
    expect.that(len(named) == 1, "The sentence must name one phase, the largest.")
    expect.equal(seen["named"], seen["path"], what="the path of the trace in the result")


PRODUCTS = {"aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm", "aten::mv", "aten::addmv"}


@check("8.9.p", row="timing", level="pass")
def test_closed_book_step_is_whole_and_warm(student, expect):
    """One step of two layers, a backward and an optimizer is in the profile, and one ran before."""
    seen = _run(student, expect, "closed_book", {"scratch": student.scratch})
    expect.that(not seen["problem"], f"The trace cannot be read: {seen['problem']}.")
    for name in ("train_step", *INNER):
        expect.equal(len(_named(seen["ranges"], name)), 1, what=f"ranges named {name}")
    spans = {name: _named(seen["ranges"], name)[0] for name in ("train_step", *INNER)}
    work = [[start, end] for name, start, end in seen["operators"] if name in PRODUCTS]
    inside = {name: sum(_within(span, spans[name]) for span in work) for name in spans}
    expect.that(inside["forward"] >= 2, "The forward has fewer than two products of matrices.")
    expect.that(inside["backward"] >= 1, "The backward has no product: is it inside its range?")
    outside = len(work) - inside["train_step"]
    expect.equal(outside, 0, what="products outside train_step in a profile of one step")
    updates = [span for _, *span in seen["operators"] if _within(span, spans["optimizer"])]
    expect.that(len(updates) > 0, "No operator runs in the range of the optimizer.")
    warm = seen["updates"] >= 2
    expect.that(warm, "The optimizer stepped fewer than two times: one step has to warm up first.",
                seen["updates"])  # fmt: skip
