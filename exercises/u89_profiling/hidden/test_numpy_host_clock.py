"""Hidden checks of host_clock_table (8.9.i) against a device that is lived through."""

from __future__ import annotations

from itertools import accumulate, product
from typing import Any

from grader.checks import check
from grader.checks.many import refusals, refused, values_of


def _phase(name, launch, device, blocking=False):
    return {"name": name, "launch": launch, "device": device, "blocking": blocking}


def _ticks(phases, sync_after, steps):
    """Return the host times of the last step by living through every microsecond."""
    now, queue, host = 0, [], {}

    def pass_time(microseconds):
        nonlocal now
        for _ in range(microseconds):
            now += 1
            if queue:
                queue[0] -= 1
            while queue and queue[0] == 0:
                queue.pop(0)

    for _ in range(steps):
        for phase in phases:
            begin = now
            pass_time(phase["launch"])
            if phase["device"]:
                queue.append(phase["device"])
            while queue and (phase["blocking"] or phase["name"] in sync_after):
                pass_time(1)
            host[phase["name"]] = now - begin
    return host


CLOCK_KEYS = ("host", "device", "blamed", "slowest")


@check("8.9.i", row="timing", level="pass")
def test_host_times_of_an_asynchronous_device(student, draw, expect):
    """Without a synchronisation a phase costs its launch, and somebody else pays for its work."""
    names = ["transfer", "forward", "backward", "optimizer"]
    for blocking, syncs in ((False, []), (True, []), (False, ["backward"])):
        phases = [_phase(n, draw.integer(2, 9), draw.integer(20, 90)) for n in names]
        phases[0]["blocking"] = blocking
        got = student.numpy.host_clock_table(phases, syncs, 1)
        expect.keys(got, CLOCK_KEYS, what="the result")
        expect.keys(got["host"], names, what="host")
        truth = _ticks(phases, syncs, 1)
        what = f"host times (blocking copy: {blocking}, sync after {syncs})"
        expect.close(got["host"], truth, rtol=1e-9, what=what, unit="us")
        expect.close(
            got["device"],
            {p["name"]: p["device"] for p in phases},
            rtol=1e-9,
            what="device times",
            unit="us",
        )
    refused(student, expect, "without phases", "host_clock_table", [])
    refused(student, expect, "if sync_after names no phase", "host_clock_table", phases, ["x"])


@check("8.9.i", row="timing", level="strong")
def test_two_tables_that_differ_in_one_sync(student, draw, expect):
    """Moving one synchronisation moves the blame, while the device does the same work."""
    scale = draw.integer(3, 9)
    phases = [
        _phase("transfer", 5, 5 * scale, blocking=True), _phase("forward", 7, 250 * scale),
        _phase("backward", 13, 470 * scale), _phase("optimizer", 5, 40 * scale),
    ]  # fmt: skip
    blamed = {(): "transfer", ("optimizer",): "optimizer", ("forward",): "transfer",
              ("forward", "backward"): "backward"}  # fmt: skip
    for syncs, name in blamed.items():
        got = student.numpy.host_clock_table(phases, list(syncs), 3)
        expect.keys(got, CLOCK_KEYS, what="the result")
        place = " and ".join(syncs) or "no phase"
        expect.close(
            got["host"],
            _ticks(phases, syncs, 3),
            rtol=1e-9,
            unit="us",
            what=f"host times with a sync after {place}",
        )
        expect.equal(got["blamed"], name, what=f"blamed with a sync after {place}")
        expect.equal(got["slowest"], "backward", what=f"slowest with a sync after {place}")


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
    # a device that still works for the step before when the next one waits for it
    late = [{"name": name, "launch": draw.integer(1, 5), "device": draw.integer(20, 30),
             "blocking": False} for name in ("forward", "backward", "optimizer")]  # fmt: skip
    cases += [((slow, ["optimizer"]), {"steps": 4}), ((slow, ["backward"]), {})]
    cases.append(((late, ["forward"]), {}))
    values = values_of(student, expect, "host_clock_table", cases)
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
    refusals(student, expect, "host_clock_table", cases)
