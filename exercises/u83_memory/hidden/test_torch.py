"""Hidden checks of unit 8.3, PyTorch stage: meters by hand, owned bytes, leaks and second tries."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np

from grader.checks import check

MOMENTS = ("before", "peak", "after")


def _refused(expect, answer, why, error="ValueError"):
    raised = answer["raised"]
    refused = error in raised
    seen = None if refused else (raised[0] if raised else answer.get("value", "no error"))
    expect.that(refused, f"The function must raise {error} {why}.", seen)


def _fine(expect, answer, what):
    raised = answer["raised"]
    expect.that(not raised, f"{what} raised {(raised or [''])[0]}.")


# 8.3.k meter_for


def _meter(student, device, live=None, peak=None, as_object=False, more=0):
    case = {"device": device, "live": live, "peak": peak, "as_object": as_object, "more": more}
    return student.run("metered", case)


@check("8.3.k", row="prediction", level="pass")
def test_no_device_no_number(student, draw, expect):
    """Where there is no CUDA device a CUDA meter is refused: 0 would have been a lie."""
    for device in ("cuda", f"cuda:{draw.integer(0, 3)}"):
        for as_object in (False, True):
            answer = _meter(student, device, as_object=as_object)
            _refused(expect, answer, f"for {device} without a CUDA device", "RuntimeError")
    _refused(expect, _meter(student, "meta"), "for the meta device", "RuntimeError")


@check("8.3.k", row="prediction", level="pass")
def test_the_cpu_has_a_live_meter(student, draw, expect):
    """The meter of a CPU counts tensors that live, and its peak can be reset."""
    for as_object in (False, True):
        answer = _meter(student, "cpu", as_object=as_object)
        _fine(expect, answer, "meter_for of a CPU")
        what = "live and peak after 400 B beside 800 B that died, then after a reset"
        expect.equal(answer["read"], [[400, 1200], [400, 400]], what=what, unit="B")


@check("8.3.k", row="prediction", level="pass")
def test_the_allocator_of_this_device(student, draw, expect):
    """A CUDA meter reads allocated bytes, not reserved ones, of the device that was asked for."""
    live = {str(k): draw.integer(1000, 9000) for k in range(2)}
    peak = {key: value + draw.integer(100, 900) for key, value in live.items()}
    more = draw.integer(10, 90)
    for device, number, as_object in (("cuda:1", "1", False), ("cuda:1", "1", True),
                                      ("cuda", "0", False)):  # fmt: skip
        answer = _meter(student, device, dict(live), dict(peak), as_object, more)
        _fine(expect, answer, f"meter_for({device!r}) with a CUDA device")
        first, top = live[number], peak[number]
        want = [[first, top], [first + more, top + 3 * more], [first + more, first + more]]
        what = f"live and peak of {device}: at first, later, and after a reset"
        expect.equal(answer["read"], want, what=what, unit="B")
        expect.equal(answer["resets"], [int(number)], what=f"devices reset by a meter of {device}")


@check("8.3.k", row="prediction", level="pass", device="cuda")
def test_a_device_that_is_there(student, draw, expect):
    """On a CUDA device the meter reads what tensors have, in blocks of 512 bytes."""
    kept, gone = draw.integer(1, 40), draw.integer(41, 90)
    case = {"device": "cuda", "kept": kept * 512 - 7, "gone": gone * 512 - 7}
    seen = student.run("device_metered", case)
    want = {"grown": kept * 512, "peak": (kept + gone) * 512}
    expect.equal(seen, want, what="growth and peak of the device", unit="B")


# 8.3.l phase_memory

NAMES = ("forward", "backward", "optimizer")


def _phased(student, names, moves, resident, *, returns=None, broken="", error=False):
    case = {"way": "hand", "names": list(names), "moves": moves, "resident": resident,
            "returns": returns or [0] * len(moves), "broken": broken, "error": error}  # fmt: skip
    return student.run("phased", case)


def _report(expect, answer, names):
    _fine(expect, answer, "phase_memory")
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
    _refused(expect, answer, "that a phase raised", "KeyError")
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
    _refused(expect, answer, "if there is no phase")
    answer = _phased(student, ["forward", "forward"], [[5], [5]], 30)
    _refused(expect, answer, "if a name comes twice")
    expect.that("work" not in answer["log"], "A phase ran although a name comes twice.")


@check("8.3.l", row="prediction", level="pass")
def test_what_was_not_measured(student, draw, expect):
    """Nothing but zeros, None, or less than nothing is no measurement and is refused."""
    moves = [[draw.integer(10, 90), -5], [20], [-9]]
    for broken, why in (
        ("zero", "if all readings are 0"),
        ("none", "if the meter gives None"),
        ("none at last", "if the meter gives None from some phase on"),
        ("negative", "if readings are negative"),
    ):
        answer = _phased(student, NAMES, moves, 300, broken=broken)
        _refused(expect, answer, why, "RuntimeError")
    value = _report(expect, _phased(student, NAMES, [[], [7], []], 0), NAMES)
    want = _want(NAMES, [[], [7], []], 0)
    expect.equal(_got(value, NAMES), want, what="readings that are 0 in one phase only", unit="B")


@check("8.3.l", row="prediction", level="pass")
def test_a_peak_below_what_is_alive(student, draw, expect):
    """A meter whose reset forgets what is alive cannot be right, and is refused."""
    small = draw.integer(10, 90)
    moves = [[500, -500 + small], [small, -small], [0]]
    answer = _phased(student, NAMES, moves, 4000, broken="reset to zero")
    _refused(expect, answer, "if a peak is below what was alive", "RuntimeError")
    # alive at first, gone afterwards: the peak is above the end and below the beginning
    answer = _phased(student, ["update"], [[-3000]], 4000, broken="reset to zero")
    _refused(expect, answer, "if a peak is below what was alive before", "RuntimeError")


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


# 8.3.m state_bytes

PARTS = ("parameters", "buffers", "gradients", "optimizer", "batch", "total")


def _owned(student, expect, kind, what, alone=False, case=None, **want):
    value = student.run("owned", {"kind": kind, "alone": alone, **(case or {})})["value"]
    expect.keys(value, PARTS, what="the result")
    want = {name: want.get(name, 0) for name in PARTS[:-1]}
    want["total"] = sum(want.values())
    expect.equal({name: value[name] for name in PARTS}, want, what=what, unit="B")


@check("8.3.m", row="prediction", level="pass")
def test_a_model_after_a_step(student, draw, expect):
    """Parameters, gradients, AdamW's state with its counters and the batch are told apart."""
    a, b, c, rows = draw.integers(3, 40, 4)
    case = {"a": a, "b": b, "c": c, "rows": rows}
    weights = a * b + b + b * c + c
    _owned(student, expect, "plain", "a model after a step of AdamW", case=case,
           parameters=4 * weights, gradients=4 * weights, optimizer=8 * weights + 16,
           batch=4 * rows * a + 8 * rows)  # fmt: skip
    _owned(student, expect, "plain", "the same model alone", alone=True, case=case,
           parameters=4 * weights, gradients=4 * weights)  # fmt: skip
    _owned(student, expect, "fresh", "a model before its first step", case=case,
           parameters=4 * (a * b + b))  # fmt: skip


@check("8.3.m", row="prediction", level="pass")
def test_tied_weights_once(student, draw, expect):
    """A weight that two modules share is there once, as one parameter or as two on one storage."""
    a, b = draw.integers(3, 40, 2)
    for shared in ("the parameter", "the storage"):
        _owned(student, expect, "tied", f"a model whose modules share {shared}",
               case={"a": a, "b": b, "shared": shared},
               parameters=4 * a * b, gradients=4 * a * b)  # fmt: skip


@check("8.3.m", row="prediction", level="pass")
def test_views_hold_their_storage(student, draw, expect):
    """Views of one table are one table, and a single row holds the whole table it is cut from."""
    a, rows = draw.integer(3, 40), draw.integer(5, 40)
    _owned(student, expect, "views", "a batch of slices, transposes and expanded numbers",
           case={"a": a, "rows": rows}, parameters=4 * a,
           batch=4 * rows * a + 4 * rows * a + 4)  # fmt: skip


@check("8.3.m", row="prediction", level="pass")
def test_each_storage_to_its_first_owner(student, draw, expect):
    """Buffers count, saved or not, frozen weights too, and the batch gets what is nobody else's."""
    a, rows = draw.integer(3, 40), draw.integer(5, 40)
    _owned(student, expect, "buffers", "a frozen layer, a norm and a mask",
           case={"a": a, "rows": rows}, parameters=4 * (a * a + a + 2 * a),
           buffers=4 * 2 * a + 8 + 4 * rows * rows, gradients=4 * a, batch=4 * rows)  # fmt: skip


@check("8.3.m", row="prediction", level="pass")
def test_states_of_other_optimizers(student, draw, expect):
    """Momentum has one state, amsgrad three, and tensors deeper in the state count as well."""
    a, b = draw.integers(3, 40, 2)
    weights = 4 * (a * b + b)
    for optimizer, size in (("momentum", weights), ("amsgrad", 3 * weights + 8),
                            ("nested", 2 * weights)):  # fmt: skip
        _owned(student, expect, "other", f"a linear with {optimizer} states",
               case={"a": a, "b": b, "optimizer": optimizer},
               parameters=weights, gradients=weights, optimizer=size)  # fmt: skip


# 8.3.n find_leak

LEAK = ("leaks", "live", "bytes_per_step", "kind")


def _leak(student, expect, kind, plan=None, entries=2, *, widths=(9, 16, 4), batch=8):
    case = {"kind": kind, "plan": plan or {}, "entries": entries, "widths": list(widths),
            "batch": batch}  # fmt: skip
    answer = student.run("leaking", case)
    _fine(expect, answer, "find_leak")
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


@check("8.3.n", row="prediction", level="pass")
def test_a_leak_is_not_measured_by_nothing(student, draw, expect):
    """A meter of None or zeros proves no absence of leaks, and plans without steps are refused."""
    for kind in ("none", "zero"):
        answer = student.run("leaking", {"kind": kind, "plan": {}})
        _refused(expect, answer, f"if all readings are {kind}", "RuntimeError")
    for plan, why in (
        ({"steps": 0}, "for 0 steps"),
        ({"steps": 2, "warmup": -1}, "for -1 warm-up"),
    ):
        case = {"kind": "rows", "plan": plan, "entries": 1, "widths": [3, 2], "batch": 2}
        answer = student.run("leaking", case)
        _refused(expect, answer, why)
        expect.equal(answer["calls"], 0, what="steps that ran under a refused plan")
    value = _leak(student, expect, "rows", {"steps": 1, "warmup": 0}, widths=(6, 3), batch=4)
    _held(expect, value, "a single step without warm-up", 96, "data")


# 8.3.o first_fit


def _fit(student, sizes, fails, once=False):
    case = {"sizes": sizes, "fails": {str(k): v for k, v in fails.items()}, "once": once}
    return student.run("fitted", case)


@check("8.3.o", row="prediction", level="pass")
def test_the_next_try_begins_clean(student, draw, expect):
    """Nothing of a failed attempt is alive when the next one begins, nor in the last error."""
    sizes = [2 * n for n in sorted(set(draw.integers(8, 90, 5)), reverse=True)]
    kinds = draw.shuffled(["torch", "memory", "text"])
    fails = {size: kinds[k % 3] for k, size in enumerate(sizes[:-1])}
    answer = _fit(student, sizes, fails)
    _fine(expect, answer, "first_fit")
    alive = [one["alive"] for one in answer["tries"]]
    expect.equal(alive, [0] * len(sizes), what="failed attempts that are still alive at each try")
    answer = _fit(student, sizes, {**fails, sizes[-1]: "torch"})
    _refused(expect, answer, "if no size fits", "MemoryError")
    expect.equal(answer["held"], 0, what="failed attempts that the last error holds")


@check("8.3.o", row="prediction", level="pass")
def test_the_first_size_that_fits(student, draw, expect):
    """Sizes are tried in their order, and the first that fits is returned with its result."""
    sizes = draw.shuffled(range(10, 16))
    for kind in ("torch", "memory", "text"):
        answer = _fit(student, sizes, dict.fromkeys(sizes[:2], kind), once=True)
        _fine(expect, answer, f"first_fit after an error of the kind {kind}")
        want = [sizes[2], [sizes[2], "fits"]]
        expect.equal(answer["value"], want, what="size and result")
        tried = [one["size"] for one in answer["tries"]]
        expect.equal(tried, sizes[:3], what="sizes that were tried")


@check("8.3.o", row="prediction", level="pass")
def test_other_errors_go_through(student, draw, expect):
    """An error that is not about memory goes through at once; no sizes at all are refused."""
    sizes = draw.shuffled(range(10, 16))
    for kind, error in (("shape", "RuntimeError"), ("key", "KeyError")):
        answer = _fit(student, sizes, {sizes[0]: "memory", sizes[1]: kind})
        raised = answer["raised"][:1]
        expect.equal(raised, [error], what="the error of an attempt with another problem")
        expect.equal(len(answer["tries"]), 2, what="attempts until the other problem")
    for once in (False, True):
        _refused(expect, _fit(student, [], {}, once), "if there are no sizes")


# 8.3.p closed_book_memory

CLOSED = ("parameters", "gradients", "optimizer", "activations")


def _closed(student, expect, widths, batch):
    seen = student.run("closed_book", {"widths": widths, "batch": batch})
    expect.keys(seen["answer"], ["predicted", "measured", "peak_phase", "sentence"])
    for side in ("predicted", "measured"):
        expect.keys(seen["answer"][side], CLOSED, what=side)
    return seen


@check("8.3.p", row="prediction", level="pass")
def test_closed_book(student, draw, expect):
    """What was predicted from widths and batch is what was measured, to the byte."""
    for layers in (2, draw.integer(3, 4)):
        widths, batch = draw.integers(4, 60, layers + 1), draw.integer(2, 50)
        seen = _closed(student, expect, widths, batch)
        weights = 4 * sum(n * m + m for n, m in pairwise(widths))
        want = {"parameters": weights, "gradients": weights,
                "optimizer": 2 * weights + 8 * layers,
                "activations": 4 * batch * sum(widths[1:]) + 8}  # fmt: skip
        for side in ("predicted", "measured"):
            got = {name: seen["answer"][side][name] for name in CLOSED}
            expect.equal(got, want, what=side, unit="B")


@check("8.3.p", row="prediction", level="strong")
def test_closed_book_ran_and_named(student, reference, draw, expect):
    """Two steps of AdamW ran, and the sentence names the phase that has the peak, and no other."""
    n = draw.integer(60, 90)
    for widths, batch in (([n, n, 10], 3), ([8, n, n, 12], 20 * n)):
        seen = _closed(student, expect, widths, batch)
        expect.that(seen["updates"] >= 2, "AdamW made fewer than two steps.", seen["updates"])
        case = {"widths": widths, "batch": batch, "optimizer": "adamw", "foreach": False,
                "set_to_none": True}  # fmt: skip
        live = reference.run("live_phases", case)
        peaks = {name: live[name]["peak"] for name in live}
        lowest = peaks["update"] - live["update"]["before"] + live["forward"]["before"]
        ran = seen["peak"] >= min(lowest, max(peaks.values()))
        expect.that(ran, "Less was ever alive than such a step needs: did it run?")
        top = max(peaks, key=lambda name, peaks=peaks: peaks[name])
        top = {"update": "optimizer"}.get(top, top)
        expect.equal(seen["answer"]["peak_phase"], top, what="peak_phase")
        sentence = str(seen["answer"]["sentence"]).casefold()
        expect.that(len(sentence.split()) > 1, "The sentence is a single word.")
        named = [name for name in NAMES if re.search(f"(?<![a-z]){name}(?![a-z])", sentence)]
        expect.equal(named, [top], what="phases that the sentence names")
