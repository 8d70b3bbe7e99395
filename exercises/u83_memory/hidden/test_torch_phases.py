"""Hidden checks of unit 8.3, PyTorch stage: phases under meters by hand and real ones (8.3.l)."""

from __future__ import annotations

from grader.checks import check

from .answers import fine, refused

NAMES = ("forward", "backward", "optimizer")
MOMENTS = ("before", "peak", "after")


def _phased(student, names, moves, resident, *, returns=None, broken="", error=False):
    case = {"way": "hand", "names": list(names), "moves": moves, "resident": resident,
            "returns": returns or [0] * len(moves), "broken": broken, "error": error}  # fmt: skip
    return student.run("phased", case)


def _report(expect, answer, names):
    fine(expect, answer, "phase_memory")
    value = answer["value"]
    expect.keys(value, ["phases", "peak", "peak_phase"], what="the result")
    expect.keys(value["phases"], names, what="phases")
    for name in names:
        expect.keys(value["phases"][name], MOMENTS, what=name)
    return value


def _want(names, moves, resident):
    """Return what a meter that is reset before each phase shows."""
    want, live = {}, resident
    for name, steps in zip(names, moves, strict=True):
        before = peak = live
        for step in steps:
            live += step
            peak = max(peak, live)
        want[name] = {"before": before, "peak": peak, "after": live}
    return want


def _shown(names, moves, resident):
    """Return the same as text: before, peak and after of each phase."""
    rows = _want(names, moves, resident)
    return ", ".join("/".join(str(row[key]) for key in MOMENTS) for row in rows.values())


def _got(value, names):
    return {name: {key: value["phases"][name][key] for key in MOMENTS} for name in names}


@check("8.3.l", row="prediction", level="pass")
def test_each_phase_has_its_own_peak(student, draw, expect):
    """The peak of a phase is the most within it, above what is alive, and not of the one before."""
    up, kept = draw.integer(800, 999), draw.integer(100, 199)
    # the largest peak comes first, then a phase that frees, then a small one
    moves = [[up, -up + kept], [-kept, 30, -30], [50, 20, -70]]
    resident = draw.integer(200, 400)
    value = _report(expect, _phased(student, NAMES, moves, resident), NAMES)
    want = _want(NAMES, moves, resident)
    expect.equal(_got(value, NAMES), want, what="readings of the three phases", unit="B")
    expect.equal(value["peak"], resident + up, what="peak", unit="B")
    expect.equal(value["peak_phase"], "forward", what="peak_phase")


@check("8.3.l", row="prediction", level="pass")
def test_phases_run_once_in_order(student, draw, expect):
    """The meter is entered once round all phases, and left even if one of them fails."""
    names = [draw.name() for _ in range(4)]
    moves = [[draw.integer(10, 90)] for _ in names]
    answer = _phased(student, names, moves, 500)
    value = _report(expect, answer, names)
    log = [word for word in answer["log"] if word != "reset"]
    expect.equal(log, ["enter", *["work"] * 4, "exit"], what="what happened, resets left out")
    expect.equal(answer["order"], names, what="order of the phases in the result")
    expect.equal(_got(value, names), _want(names, moves, 500), what="readings", unit="B")
    answer = _phased(student, names, moves, 500, error=True)
    refused(expect, answer, "phase_memory", "that a phase raised", "KeyError")
    expect.equal(answer["log"][-1], "exit", what="the last thing that happened")


@check("8.3.l", row="prediction", level="pass")
def test_results_are_dropped(student, draw, expect):
    """What a phase returns is gone before the reading after it."""
    sizes = draw.integers(1000, 9000, 3)
    moves = [[100], [200], [0]]
    answer = _phased(student, NAMES, moves, 50, returns=sizes)
    value = _report(expect, answer, NAMES)
    got = {name: value["phases"][name]["after"] for name in NAMES}
    want = {"forward": 150, "backward": 350, "optimizer": 350}
    expect.equal(got, want, what="alive after each phase", unit="B")
    got = {name: value["phases"][name]["peak"] for name in NAMES}
    want = {"forward": 150 + sizes[0], "backward": 350 + sizes[1], "optimizer": 350 + sizes[2]}
    expect.equal(got, want, what="peak of each phase, its result included", unit="B")


@check("8.3.l", row="prediction", level="pass")
def test_equal_peaks_and_bad_lists(student, draw, expect):
    """Of equal peaks the first phase is named; no phases, and a name twice, are refused."""
    names = [draw.name(), draw.name(6), draw.name(7)]
    moves = [[10, -10], [70, -70], [70, -70]]
    value = _report(expect, _phased(student, names, moves, 30), names)
    expect.equal(value["peak_phase"], names[1], what="phase of two equal peaks")
    answer = _phased(student, [], [], 30)
    refused(expect, answer, "phase_memory", "if there is no phase")
    answer = _phased(student, ["forward", "forward"], [[5], [5]], 30)
    refused(expect, answer, "phase_memory", "if a name comes twice")
    expect.that("work" not in answer["log"], "A phase ran although a name comes twice.")


@check("8.3.l", row="prediction", level="pass")
def test_what_was_not_measured(student, draw, expect):
    """Nothing but zeros, a None, or a reading below zero is no measurement and is refused."""
    moves = [[draw.integer(10, 90), -5], [20], [-9]]
    for broken, why in (
        ("zero", "if all readings are 0"),
        ("none", "if the meter gives None"),
        ("none at last", "if the meter gives None from some phase on"),
        ("negative", "if readings are negative"),
    ):
        answer = _phased(student, NAMES, moves, 300, broken=broken)
        refused(expect, answer, "phase_memory", why, "RuntimeError")
    # no peak is too low here: all are below zero, the first reading alone, the last one alone
    for resident, few in ((-5000, [[10], [20], [-9]]), (-5, [[60], [20], [-9]]),
                          (10, [[5], [5], [-70]])):  # fmt: skip
        answer = _phased(student, NAMES, few, resident)
        why = f"if the readings are {_shown(NAMES, few, resident)}: some are below 0"
        refused(expect, answer, "phase_memory", why, "RuntimeError")
    value = _report(expect, _phased(student, NAMES, [[], [7], []], 0), NAMES)
    want = _want(NAMES, [[], [7], []], 0)
    expect.equal(_got(value, NAMES), want, what="readings that are 0 in one phase only", unit="B")


@check("8.3.l", row="prediction", level="pass")
def test_a_peak_below_what_is_alive(student, draw, expect):
    """A meter whose reset forgets what is alive cannot be right, and is refused."""
    small = draw.integer(10, 90)
    moves = [[500, -500 + small], [small, -small], [0]]
    answer = _phased(student, NAMES, moves, 4000, broken="reset to zero")
    refused(expect, answer, "phase_memory", "if a peak is below what was alive", "RuntimeError")
    # alive at first, gone afterwards: the peak is above the end and below the beginning
    answer = _phased(student, ["update"], [[-3000]], 4000, broken="reset to zero")
    why = "if a peak is below what was alive before"
    refused(expect, answer, "phase_memory", why, "RuntimeError")


@check("8.3.l", row="prediction", level="strong")
def test_a_real_step(student, reference, draw, expect):
    """Under a live meter the phases of a real step are those of the ledger, byte for byte."""
    for optimizer, foreach in (("adamw", False), ("adamw", True), ("sgd", False)):
        widths, batch = draw.integers(5, 80, 4), draw.integer(3, 60)
        case = {"way": "real", "widths": widths, "batch": batch, "optimizer": optimizer,
                "foreach": foreach, "set_to_none": True}  # fmt: skip
        live = reference.run("live_phases", case)
        answer = student.run("phased", case)
        value = _report(expect, answer, list(live))
        # the optimizer's state is made inside the meter, so that all is counted on both sides
        what = f"phases of a step ({optimizer}, foreach={foreach})"
        expect.equal(_got(value, list(live)), live, what=what, unit="B")
        top = max(live, key=lambda name, live=live: live[name]["peak"])
        expect.equal(value["peak_phase"], top, what="peak_phase")
