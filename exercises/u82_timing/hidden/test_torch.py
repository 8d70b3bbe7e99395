"""Hidden checks of unit 8.2, PyTorch stage: timers, on devices whose clock moves only with work.

All truths are whole microseconds, moved along two numbers: the host's time and the moment when the
device is free.
"""

from __future__ import annotations

import re

from grader.checks import check

US = 1e-6


class _Truth:
    """The host's time and the moment when the device is free [us]."""

    def __init__(self, case):
        self.launch, self.sync = case["launch"], case["sync"]
        self.host, self.free = 0, case.get("old", 0)

    def work(self, *works):
        for work in works:
            self.host += self.launch
            self.free = max(self.free, self.host) + work

    def wait(self):
        self.host = max(self.host, self.free) + self.sync

    def mark(self):
        return max(self.host, self.free)


def _refused(student, expect, why, probe, case):
    answer = student.attempt(probe, case)
    refused = answer.status == "raised" and answer.error.type == "ValueError"
    seen = answer.error.type if answer.error else "no error"
    expect.that(refused, f"The function must raise ValueError {why}.", None if refused else seen)


def _case(draw, works, **more):
    """Return a case whose kernels are longer than their launches."""
    settings = {"warmup": 3, "repeats": 20, **more.pop("settings", {})}
    return {"launch": draw.integer(3, 9), "sync": draw.integer(2, 9), "works": works,
            "settings": settings, **more}  # fmt: skip


def _works(draw, calls, kernels=3, scale=1):
    return [[scale * value for value in draw.integers(40, 90, kernels)] for _ in range(calls)]


# 8.2.g time_callable

KEYS = ("samples", "calls", "n", "median", "iqr")


def _timed(student, expect, case):
    seen = student.run("timed", case)
    expect.keys(seen["result"], KEYS, what="the result")
    samples = seen["result"]["samples"]
    listed = hasattr(samples, "__len__") and not isinstance(samples, str | dict)
    expect.that(listed, "samples must be a list of times.", None if listed else samples)
    repeats = case["settings"]["repeats"]
    expect.equal(len(samples), repeats, what="number of samples")
    expect.equal(seen["result"]["n"], repeats, what="n")
    return seen, seen["result"]


def _samples(case, calls, per_sample, skip):
    """Return what each sample takes if it is honest [s], when `skip` calls were made before."""
    works, samples = case["works"], []
    for number in range(case["settings"]["repeats"]):
        truth = _Truth({**case, "old": 0})
        for call in range(per_sample):
            index = skip + number * per_sample + call
            truth.work(*works[min(index, len(works) - 1)])
        truth.wait()
        samples.append(truth.host / per_sample * US)
    return samples


@check("8.2.g", row="timing", level="pass")
def test_a_sample_is_the_function_and_nothing_else(student, draw, expect):
    """Each sample is the time of the calls in it, whatever was in the queue before."""
    for old in (0, draw.integer(3000, 9000)):
        for warmup in (0, 2):
            case = _case(draw, _works(draw, 1), old=old, settings={"warmup": warmup})
            _, result = _timed(student, expect, case)
            want = _samples(case, 1, 1, 0)
            words = f"samples, {'older work in the queue' if old else 'an idle device'}, "
            words += f"warmup={warmup}"
            expect.close(result["samples"], want, rtol=1e-9, what=words, unit="s")


@check("8.2.g", row="timing", level="pass")
def test_slow_first_calls_are_not_reported(student, draw, expect):
    """What the first calls take is in no sample and in no number made of them."""
    warmup = draw.integer(3, 6)
    works = [*_works(draw, warmup, scale=100), *_works(draw, 1)]
    case = _case(draw, works, settings={"warmup": warmup, "repeats": 20})
    seen, result = _timed(student, expect, case)
    want = _samples(case, 1, 1, warmup)
    expect.close(result["samples"], want, rtol=1e-9, what="samples after a slow start", unit="s")
    expect.between(seen["calls"], warmup + 20, warmup + 24, what="calls of the function")


@check("8.2.g", row="timing", level="pass")
def test_a_clock_with_coarse_steps(student, draw, expect):
    """A sample lasts a hundred steps of the clock, with as few calls as a power of two allows."""
    power, tick = draw.integer(4, 9), draw.integer(8_000, 16_000)
    work = round(100 * tick / (0.75 * 2**power))
    case = _case(draw, [[work]], tick=tick, settings={"repeats": 5, "warmup": 1})
    case |= {"launch": 1, "sync": 1}
    _, result = _timed(student, expect, case)
    expect.equal(result["calls"], 2**power, what="calls in a sample")
    want = _samples(case, result["calls"], 2**power, 0)
    # begin and end are each off by less than one of at least a hundred steps
    expect.close(result["samples"], want, rtol=0.0101, what="time per call", unit="s")


@check("8.2.g", row="timing", level="pass")
def test_no_sync_between_the_calls_of_a_sample(student, draw, expect):
    """Nothing waits between the calls of a sample: the host runs ahead within it."""
    tick = draw.integer(200, 400)
    case = _case(draw, [[tick // 4]], tick=tick, settings={"repeats": 20, "warmup": 1})
    case |= {"sync": tick // 4, "launch": tick // 8}
    _, result = _timed(student, expect, case)
    per_call = result["samples"]
    want = _samples(case, 1, 512, 0)
    expect.close(list(per_call), want, rtol=0.0101, what="time per call", unit="s")


@check("8.2.g", row="timing", level="pass")
def test_median_and_spread_of_the_samples(student, draw, expect):
    """Median and interquartile range are those of the samples, one of which is far too long."""
    works = _works(draw, 20 + 3)
    works[draw.integer(5, 20)] = [40_000]
    case = _case(draw, [*works, works[0]])
    seen, result = _timed(student, expect, case)
    expect.between(seen["calls"], 23, 24, what="calls of the function")
    # whoever tries a sample first has called once more
    want = _samples(case, 1, 1, seen["calls"] - 20)
    expect.close(result["samples"], want, rtol=1e-9, what="samples, in their order", unit="s")
    ordered = sorted(want)
    quartiles = [
        ordered[int(place)] + (place % 1) * (ordered[min(int(place) + 1, 19)] - ordered[int(place)])
        for place in (4.75, 9.5, 14.25)
    ]
    expect.close(result["median"], quartiles[1], rtol=1e-9, what="median", unit="s")
    spread = quartiles[2] - quartiles[0]
    expect.close(result["iqr"], spread, rtol=1e-6, atol=1e-15, what="iqr", unit="s")


@check("8.2.g", row="timing", level="pass")
def test_what_cannot_be_timed(student, draw, expect):
    """No repeats, a negative warm-up, and a function that is too short for the clock are refused."""
    case = _case(draw, _works(draw, 1))
    for change, why in (({"repeats": 0}, "for no repeats"), ({"warmup": -1}, "for a warm-up of -1")):
        settings = {**case["settings"], **change}
        _refused(student, expect, why, "timed", {**case, "settings": settings})
    short = {**case, "tick": 100_000, "settings": {"warmup": 0, "repeats": 2, "most": 8}}
    _refused(student, expect, "if `most` calls are too short for the clock", "timed", short)
    nothing = {**case, "tick": 1000, "launch": 0, "sync": 0, "works": [[]]}
    _refused(student, expect, "if the function takes no time at all", "timed", nothing)
    long = {**short, "works": [[100 * 100_000 // 6]]}
    _, result = _timed(student, expect, long)
    expect.equal(result["calls"], 8, what="calls in a sample where `most` are just enough")


# 8.2.h event_times


def _event_times(case, empties):
    """Return what the events of each call say [s], with or without a wait after the warm-up."""
    truth, works, times = _Truth(case), case["works"], []
    warmup, repeats = case["settings"]["warmup"], case["settings"]["repeats"]
    for number in range(warmup + repeats):
        if number == warmup and empties:
            truth.wait()
        begin = truth.mark()
        truth.work(*works[min(number, len(works) - 1)])
        if number >= warmup:
            times.append((truth.mark() - begin) * US)
    return times


@check("8.2.h", row="timing", level="pass")
def test_times_on_the_device(student, draw, expect):
    """Each time is what the device needed for that call [s], in order, without the warm-up."""
    for old, warmup in ((0, 3), (20_000, 2), (20_000, 0)):
        works = [*_works(draw, warmup, scale=50), *_works(draw, 8)]
        case = _case(draw, works, old=old, settings={"warmup": warmup, "repeats": 8})
        seen = student.run("evented", case)
        expect.that("event" in seen["history"], "No event was recorded.")
        words = f"times ({'older work in the queue' if old else 'an idle device'}, warmup={warmup})"
        # an empty queue before the first event is as good: its call then shows its launch, too
        first = ["work", *seen["history"][: seen["history"].index("event")]]
        waited = "sync" in first[::-1][: first[::-1].index("work")]
        want = _event_times(case, waited)
        expect.close(seen["times"], want, rtol=1e-9, what=words, unit="s")
        expect.equal(seen["calls"], warmup + 8, what="calls of the function")


@check("8.2.h", row="timing", level="pass")
def test_the_host_waits_once_and_last(student, draw, expect):
    """From the first event to the last the host does not wait for the device."""
    case = _case(draw, _works(draw, 1), settings={"warmup": 1, "repeats": 6})
    history = student.run("evented", case)["history"]
    events = [place for place, what in enumerate(history) if what == "event"]
    # the end of one call may be the beginning of the next
    enough = len(events) > 6
    expect.that(enough, "There must be an event right before and right after each call.")
    inside = history[events[0] : events[-1]].count("sync")
    expect.equal(inside, 0, what="waits of the host between the first event and the last")


@check("8.2.h", row="timing", level="pass")
def test_no_events_to_read(student, draw, expect):
    """No repeats and a negative warm-up are refused."""
    case = _case(draw, _works(draw, 1))
    for change, why in (({"repeats": 0}, "for no repeats"), ({"warmup": -1}, "for a warm-up of -1")):
        settings = {**case["settings"], **change}
        _refused(student, expect, why, "evented", {**case, "settings": settings})


# 8.2.i time_phases

PHASES = ("forward", "backward", "optimizer", "read")


def _phase_times(case):
    truth, host = _Truth(case), {}
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
    """Each phase takes what the clock says, syncs are where they were asked for and nowhere else."""
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


@check("8.2.i", row="timing", level="strong")
def test_one_sync_moves_and_another_phase_is_slow(student, reference, draw, expect):
    """On a real model's step, moving one sync blames another phase while the device does the same."""
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


# 8.2.m closed_book_timers

TIMERS = ("start_only", "end_only", "honest")


def _three_timers(case):
    truth, printed = _Truth(case), {}
    truth.work(*case["work"], *case["work"])
    for name in TIMERS:
        truth.wait()
        truth.work(case["prepared"])
        if name != "end_only":
            truth.wait()
        begin = truth.host
        truth.work(*case["work"])
        if name != "start_only":
            truth.wait()
        printed[name] = (truth.host - begin) * US
    return printed


def _closed_book(student, draw, expect, prepared, work):
    case = {"launch": draw.integer(2, 6), "sync": draw.integer(1, 5), "prepared": prepared,
            "work": [work + draw.integer(0, 20) for _ in range(3)]}  # fmt: skip
    seen = student.run("closed_book", case)
    expect.keys(seen["result"], [*TIMERS, "missed", "sentence"], what="the result")
    return case, seen


@check("8.2.m", row="timing", level="pass")
def test_three_timers_from_memory(student, draw, expect):
    """Each timer starts from an empty queue, and prints what its syncs make it print."""
    case, seen = _closed_book(student, draw, expect, draw.integer(400, 900), draw.integer(50, 90))
    called = [name for name, _ in seen["order"]]
    want = ["fn", "fn", *(3 * ["prepare", "fn"])]
    expect.equal(called, want, what="calls of prepare and fn")
    empty = all(fresh for _, fresh in seen["order"])
    expect.that(empty, "prepare() was called while older work was still in the queue.")
    got = {name: seen["result"][name] for name in TIMERS}
    expect.close(got, _three_timers(case), rtol=1e-9, what="what the timers print", unit="s")


@check("8.2.m", row="timing", level="strong")
def test_the_sync_that_is_missed_is_named(student, draw, expect):
    """The sentence names the one sync without which the print is further from the honest one."""
    for word, prepared, work in draw.shuffled([("start", 2000, 60), ("end", 60, 700)]):
        _, seen = _closed_book(student, draw, expect, prepared + draw.integer(0, 99), work)
        expect.equal(seen["result"]["missed"], word, what="missed")
        sentence = seen["result"]["sentence"]
        expect.that(isinstance(sentence, str), "The sentence must be text.")
        words = set(re.findall(r"[a-z]+", sentence.lower()))
        expect.equal(sorted(words & {"start", "end"}), [word], what="syncs that the sentence names")
