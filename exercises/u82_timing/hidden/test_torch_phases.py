"""Hidden checks of time_phases (8.2.i), by hand and on a real model's step."""

from __future__ import annotations

from grader.checks import check

from .launches import US, nothing_left_changed
from .lived import OneStream

PHASES = ("forward", "backward", "optimizer", "read")


def _phase_times(case):
    truth, host = OneStream(case), {}
    for name, work, waits in case["phases"]:
        begin = truth.host
        if work:
            truth.work(work)
        if waits:
            truth.wait()
        if name in case["sync_after"]:
            truth.wait()
        host[name] = (truth.host - begin) * US
    return host


def _table(expect, table, names, words):
    expect.keys(table, ["host", "blamed"], what=f"the table ({words})")
    expect.keys(table["host"], names, what=f"host ({words})")
    expect.equal(list(table["host"]), list(names), what=f"phases in the table ({words})")
    return table["host"]


@check("8.2.i", row="timing", level="pass")
def test_phases_by_the_clock(student, draw, expect):
    """Each phase takes what the clock says; syncs are where they were asked for, nowhere else."""
    for sync_after in ([], ["forward"], ["backward", "forward"], list(PHASES)):
        phases = [[name, draw.integer(30, 90), name == "read"] for name in PHASES]
        case = {"launch": draw.integer(2, 9), "sync": draw.integer(1, 5), "old": 300,
                "phases": phases, "sync_after": sync_after}  # fmt: skip
        seen = student.run("phased", case)
        words = f"sync after {' and '.join(sync_after) or 'no phase'}"
        expect.that(not seen["refused"], f"time_phases raised ValueError ({words}).")
        expect.equal(seen["ran"], list(PHASES), what=f"phases that ran ({words})")
        want = _phase_times(case)
        host = _table(expect, seen["table"], PHASES, words)
        expect.close(host, want, rtol=1e-9, what=f"host ({words})", unit="s")
        slowest = max(want, key=want.get)
        expect.equal(seen["table"]["blamed"], slowest, what=f"blamed ({words})")
    nothing_left_changed(student, expect, "phased", case)


@check("8.2.i", row="timing", level="strong")
def test_one_sync_moves_and_another_phase_is_slow(student, reference, draw, expect):
    """On a real model's step, moving one sync blames another phase for the same work."""
    case = {
        "seed": draw.integer(0, 99), "batch": draw.integer(100, 200),
        "widths": [draw.integer(100, 200), draw.integer(300, 500)],
        "places": [[], ["forward"], ["backward"], list(PHASES[:3])],
    }  # fmt: skip
    seen, true = student.run("phased_model", case), reference.run("phased_model", case)
    for place, one, other in zip(case["places"], seen, true, strict=True):
        words = f"sync after {' and '.join(place) or 'no phase'}"
        expect.equal(one["syncs"], other["syncs"], what=f"waits of the host ({words})")
        host = _table(expect, one["table"], PHASES, words)
        expect.close(host, other["table"]["host"], rtol=1e-9, what=f"host ({words})", unit="s")
    blamed = [one["table"]["blamed"] for one in seen]
    expect.equal(blamed[0], "read", what="blamed without a sync")
    expect.equal(blamed[2], "backward", what="blamed with a sync after backward")
    expect.equal(blamed[1:], [one["table"]["blamed"] for one in true[1:]], what="blamed")


@check("8.2.i", row="timing", level="pass")
def test_the_first_of_equal_phases_is_blamed(student, draw, expect):
    """Of equal phases the first is blamed, in the order of the phases."""
    names = draw.shuffled(["a", "b", "c", "d"])
    phases = [[name, 40, False] for name in names]
    # a launch of 1/64 s: every reading of the clock and every difference is exact
    case = {"launch": 15_625, "sync": 1, "phases": phases, "sync_after": []}
    seen = student.run("phased", case)
    expect.that(not seen["refused"], "time_phases raised ValueError for four phases.")
    _table(expect, seen["table"], names, "equal phases")
    expect.equal(seen["table"]["blamed"], names[0], what="blamed, all phases equal")


@check("8.2.i", row="timing", level="pass")
def test_phases_that_make_no_sense(student, draw, expect):
    """No phases, doubled names and syncs after unknown ones are refused before anything runs."""
    good = [["a", 5, False], ["b", 5, False]]
    for phases, sync_after, why in (
        ([], [], "without phases"),
        ([*good, ["a", 5, False]], [], "if two phases have the same name"),
        (good, ["a", "c"], "if sync_after names no phase"),
    ):
        case = {"launch": 4, "sync": 1, "phases": phases, "sync_after": sync_after}
        seen = student.run("phased", case)
        expect.that(seen["refused"], f"time_phases must raise ValueError {why}.")
        expect.equal(seen["ran"], [], what=f"phases that ran before it was refused {why}")
