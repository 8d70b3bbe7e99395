"""Hidden checks of profile_steps (8.9.k) by a clock by hand and by the structure of traces."""

from __future__ import annotations

from grader.checks import check
from grader.checks.numbers import is_finite, quantile
from grader.checks.watched import refused, watched

INNER = ("transfer", "forward", "backward", "optimizer")
PHASES = ("data_wait", "transfer", "forward", "backward", "optimizer")
ROWS = (*PHASES, "residual")
TICK = 2**-10
"""Times are multiples of this [s], so that sums and differences are exact in any order."""


def _costs(draw):
    """Return the time of each phase [s]."""
    return {name: draw.integer(1, 60) * TICK for name in INNER}


def _named(ranges, name):
    return [(start, end) for found, start, end in ranges if found == name]


def _within(inner, outer):
    return outer[0] <= inner[0] and inner[1] <= outer[1]


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
    return {**columns, "residual": [0.0] * sum(active)}


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
        want = {name: quantile(values, q) for name, values in columns.items()}
        got = _column(expect, table, key)
        expect.close(got, want, rtol=1e-9, atol=1e-12, what=f"{key} of each row", unit="s")


@check("8.9.k", row="timing", level="pass")
def test_the_wait_is_outside_the_step(student, draw, expect):
    """A slow loader shows as data wait, in the table and in the trace, and not as forward."""
    plan = {"wait": 0, "warmup": 1, "active": 3, "repeat": 1}
    case, active = _case(student, draw, plan, folder="waits")
    seen = watched(student, expect, "profiled", case)
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
    seen = watched(student, expect, "profiled", case)
    expect.equal(seen["iterations"], len(active), what="iterations that were run")
    _percentiles(expect, seen["table"], _truth(case, active))
    expect.equal(seen["table"]["steps"], sum(active), what="steps")


@check("8.9.k", row="timing", level="pass")
def test_each_iteration_waits_for_one_batch(student, draw, expect):
    """Making the iterator counts as waiting, too, and each batch comes from trainer.fetch."""
    plan = {"wait": 0, "warmup": 0, "active": 5, "repeat": 1}
    waits = [draw.integer(10, 90) * TICK for _ in range(3)]
    case, active = _case(student, draw, plan, waits=waits, start=500 * TICK)
    seen = watched(student, expect, "profiled", case)
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
    seen = watched(student, expect, "profiled", case)
    expect.keys(seen["table"], ["slowest"], what="the result")
    expect.equal(seen["table"]["slowest"], first, what="slowest of two equal phases")
    for cost in case["costs"]:
        cost[second] += TICK
    seen = watched(student, expect, "profiled", case)
    expect.keys(seen["table"], ["slowest"], what="the result")
    what = "slowest phase, where another one was slow once"
    expect.equal(seen["table"]["slowest"], second, what=what)


@check("8.9.k", row="timing", level="pass")
def test_the_residual_is_what_is_left(student, draw, expect):
    """What train_step takes beyond its four phases is in the residual, and is no phase."""
    plan = {"wait": 1, "warmup": 0, "active": 4, "repeat": 1}
    case, _ = _case(student, draw, plan)
    # each iteration is alike, and the clock moves on at each reading, between two phases too
    case["costs"], case["waits"] = case["costs"][:1] * 5, [draw.integer(70, 90) * TICK] * 5
    seen = watched(student, expect, "profiled", {**case, "tick": draw.integer(200, 900) * TICK})
    alone, table = seen["alone"], seen["table"]
    expect.keys(alone, ["train_step", *INNER], what="the seconds of annotated_step")
    fine = all(is_finite(alone[name]) for name in ("train_step", *INNER))
    expect.that(fine, "The seconds of annotated_step must be numbers.")
    p50, share = (_column(expect, table, key) for key in ("p50", "share"))
    got = {name: p50[name] for name in INNER}
    expect.close(got, {name: alone[name] for name in INNER}, rtol=1e-9, unit="s",
                 what="p50 of each phase, against annotated_step alone")  # fmt: skip
    left = alone["train_step"] - sum(alone[name] for name in INNER)
    expect.close(p50["residual"], left, rtol=1e-9, atol=1e-9, unit="s", what="p50 of the residual")
    p90 = _column(expect, table, "p90")["residual"]
    expect.close(p90, left, rtol=1e-9, atol=1e-9, unit="s", what="p90 of the residual")
    expect.between(p50["data_wait"], case["waits"][0], 1e9, what="p50 of data_wait", unit="s")
    whole = p50["data_wait"] + alone["train_step"]
    expect.close(
        share["residual"], left / whole, rtol=1e-9, atol=1e-9, what="share of the residual"
    )
    largest = max(PHASES, key=lambda name: p50[name])
    expect.equal(table["slowest"], largest, what="slowest, the residual left out")


@check("8.9.k", row="timing", level="pass")
def test_a_trace_for_each_window(student, draw, expect):
    """Every window leaves a trace that viewers read, with its active steps and no others."""
    plan = {"wait": 1, "warmup": 1, "active": 2, "repeat": 2}
    # a loader of three batches has to be started again
    waits = [draw.integer(70, 90) * TICK for _ in range(3)]
    case, active = _case(student, draw, plan, folder="windows", waits=waits)
    seen = watched(student, expect, "profiled", case)
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
        # the traces are in the order of the windows, and each has its own iterations
        want = [4 * number + 2, 4 * number + 3]
        found = [r[0].partition(":")[2] for r in trace["ranges"] if r[0].startswith("iteration:")]
        expect.equal(found, [str(i) for i in want], what=f"iterations in trace {number}")
    want = [i for i, used in enumerate(active) if used]
    expect.equal(seen["recorded"], want, what="iterations while which a profiler recorded")
    expect.equal(seen["files"], 2, what="traces in the folder")
    plan = {"wait": 0, "warmup": 1, "active": 1, "repeat": 1}
    case, _ = _case(student, draw, plan, folder="there", exists=True)
    seen = watched(student, expect, "profiled", case)
    expect.equal(len(seen["traces"]), 1, what="traces in a folder that is there already")


@check("8.9.k", row="timing", level="pass")
def test_no_debugging_tool_is_on(student, draw, expect):
    """Nothing that slows a step is switched on, and without a folder no profiler runs at all."""
    plan = {"wait": 0, "warmup": 1, "active": 1, "repeat": 1}
    case, _ = _case(student, draw, plan, folder="clean")
    seen = watched(student, expect, "profiled", case)
    expect.that("anomaly detection" not in seen["tools"], "Anomaly detection is on.")
    flags = sorted({flag for trace in seen["traces"] for flag in trace.get("flags", [])})
    expect.equal(flags, [], what="what the profiler recorded besides times")
    case, _ = _case(student, draw, plan)
    seen = watched(student, expect, "profiled", case)
    expect.equal(seen["tools"], [], what="tools that ran without a trace folder")
    expect.keys(seen["table"], ["traces"], what="the result")
    expect.equal(seen["table"]["traces"], [], what="traces without a folder")


@check("8.9.k", row="timing", level="pass")
def test_a_loader_that_breaks(student, draw, expect):
    """An error of the loader goes on to the caller, and the profiler is stopped before."""
    plan = {"wait": 0, "warmup": 1, "active": 4, "repeat": 1}
    for folder, breaks in (("", 2), ("broken", 3)):
        case, _ = _case(student, draw, plan, folder=folder, breaks=breaks)
        seen = watched(student, expect, "profiled", case)
        expect.that(seen["broken"], "The loader's error was kept from the caller.")
        expect.that(not seen["recording"], "The profiler still records after the loader's error.")


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
        refused(student, expect, why, "profiled", {**case, "plan": {**PLAN, **change}})
    refused(student, expect, "if the loader is empty", "profiled", {**case, "waits": []})
    empty = {**case, "waits": [], "folder": "empty"}
    refused(student, expect, "if the loader is empty, under a profiler too", "profiled", empty)
