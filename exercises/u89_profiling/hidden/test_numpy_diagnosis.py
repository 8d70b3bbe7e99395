"""Hidden checks of diagnose (8.9.h) against causes on a grid where products and ties are exact."""

from __future__ import annotations

import math
from typing import Any

from grader.checks import check
from grader.checks.many import refusals, refused, values_of


def _idle_device(draw, cause):
    """Return measurements of a starved device with one clear cause."""
    busy = draw.uniform(3e-3, 4e-3)
    quiet = {
        "wall": busy * draw.uniform(2.0, 2.6), "busy": busy, "data_wait": busy * 0.05,
        "copies": busy * 0.04, "launches": draw.integer(200, 300), "launch_cost": 2e-6,
        "syncs": 2, "sync_gap": 1e-5, "flops": 1e9, "bytes": 1e6,
        "peak_flops": 1e13, "peak_bandwidth": 1e11,
    }  # fmt: skip
    loud = {
        "input": {"data_wait": busy * 0.9},
        "transfer": {"copies": busy * 0.9},
        "launch": {"launches": draw.integer(900, 1000), "launch_cost": 8e-6},
        "sync": {"syncs": draw.integer(9, 12), "sync_gap": busy * 0.09},
    }
    return {**quiet, **loud[cause]}


def _busy_device(draw, cause):
    """Return measurements of a device at work, with traps among the host's numbers."""
    busy = draw.uniform(3e-3, 4e-3)
    heavy = cause == "compute"
    return {
        "wall": busy * 1.05, "busy": busy, "data_wait": busy * 0.03, "copies": 0.0,
        # the host needs nearly as long to launch as the device to run: hidden behind the device
        "launches": 1000, "launch_cost": busy * 0.95 / 1000, "syncs": 1, "sync_gap": 1e-5,
        "flops": busy * 1e13 * (0.8 if heavy else 0.2),
        "bytes": busy * 1e11 * (0.3 if heavy else 0.9),
        "peak_flops": 1e13, "peak_bandwidth": 1e11,
    }  # fmt: skip


SIGNS = {"input": "data_wait", "transfer": "copies", "launch": "launches", "sync": "syncs",
         "compute": "flops", "memory": "bytes"}  # fmt: skip


def _decided(case, bound):
    """Return the number that decides."""
    return {
        "input": case["data_wait"],
        "transfer": case["copies"],
        "launch": case["launches"] * case["launch_cost"] - case["busy"],
        "sync": case["syncs"] * case["sync_gap"],
        "compute": case["flops"] / case["peak_flops"],
        "memory": case["bytes"] / case["peak_bandwidth"],
    }[bound]


def _diagnosed(student, expect, case: dict[str, Any], bound: str):
    got = student.numpy.diagnose(case)
    expect.keys(got, ["bound", "reason", "utilisation", "seconds"], what="the result")
    expect.equal(got["bound"], bound, what=f"what a {bound}-bound step is bound by")
    expect.close(got["utilisation"], case["busy"] / case["wall"], rtol=1e-9, what="utilisation")
    expect.close(got["seconds"], _decided(case, bound), rtol=1e-9, what="seconds", unit="s")
    named = isinstance(got["reason"], str) and SIGNS[bound] in got["reason"]
    expect.that(named, f"The reason must name the measurement that decided, {SIGNS[bound]}.",
                None if named else got["reason"])  # fmt: skip


@check("8.9.h", row="timing", level="pass")
def test_why_a_device_is_idle(student, draw, expect):
    """At 45 % utilisation the loader, copies, launches and syncs are told apart by measurement."""
    for cause in draw.shuffled(["input", "transfer", "launch", "sync"]):
        _diagnosed(student, expect, _idle_device(draw, cause), cause)
    silent = {**_idle_device(draw, "input"), "data_wait": 0, "copies": 0, "launches": 0, "syncs": 0}
    refused(student, expect, "if nothing explains the idle device", "diagnose", silent)
    del silent["syncs"]
    refused(student, expect, "if a measurement is missing", "diagnose", silent, error="KeyError")


@check("8.9.h", row="timing", level="pass")
def test_what_a_busy_device_does(student, draw, expect):
    """A busy device is bound by memory or by arithmetic, whatever the host is doing."""
    for cause in draw.shuffled(["compute", "memory"]):
        _diagnosed(student, expect, _busy_device(draw, cause), cause)
    case = _busy_device(draw, "compute")
    refused(
        student,
        expect,
        "if busy is longer than wall",
        "diagnose",
        {**case, "busy": 2 * case["wall"]},
    )
    refused(student, expect, "if a measurement is NaN", "diagnose", {**case, "copies": math.nan})


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
    values = values_of(student, expect, "diagnose", cases)
    for (bound, seconds, case), (words, got) in zip(truths, values, strict=True):
        expect.keys(got, ["bound", "reason", "utilisation", "seconds"], what=f"result of {words}")
        expect.equal(got["bound"], bound, what=f"bound of {words}")
        near = 1e-12 * case["wall"]
        expect.close(got["seconds"], seconds, rtol=1e-9, atol=near, unit="s",
                     what=f"seconds of {words}")  # fmt: skip
        expect.close(got["utilisation"], case["busy"] / case["wall"], rtol=1e-9, atol=1e-12,
                     what=f"utilisation of {words}")  # fmt: skip
        reason = got["reason"] if isinstance(got["reason"], str) else ""
        expect.that(len(reason.split()) > 1, "The reason must be a sentence.", got["reason"])
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
        for name in ("wall", "peak_flops", "peak_bandwidth"):
            busy = {"busy": 0} if name == "wall" else {}
            bad = {**good, **busy, name: 0}
            cases.append((f"if {name} is 0 on an {state} device", (bad,), {}))
        for more in (1.001, 4):
            bad = {**good, "busy": good["wall"] * more}
            cases.append(("if busy is longer than wall", (bad,), {}))
        silent = {"data_wait": 0, "copies": 0, "launches": 0, "syncs": 0}
        if state == "idle":
            covered = {"launches": 64, "launch_cost": good["busy"] / 64, "syncs": 0}
            cases.append(("if nothing explains the idle device", ({**good, **silent},), {}))
            cases.append(("if an idle device has no cause but launches that it covers",
                          ({**good, **silent, **covered},), {}))  # fmt: skip
    refusals(student, expect, "diagnose", cases)
    refusals(student, expect, "diagnose", missing, error="KeyError")
