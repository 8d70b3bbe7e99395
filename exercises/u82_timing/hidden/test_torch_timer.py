"""Hidden checks of time_callable (8.2.g), on a device whose clock moves only with work."""

from __future__ import annotations

from grader.checks import check
from grader.checks.numbers import quantile
from grader.checks.watched import refused

from .launches import US, case_of, drawn_works, nothing_left_changed
from .lived import OneStream

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


def _samples(case, per_sample, skip):
    """Return what each sample takes if it is honest [s], when `skip` calls were made before."""
    works, samples = case["works"], []
    for number in range(case["settings"]["repeats"]):
        truth = OneStream({**case, "old": 0})
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
            case = case_of(draw, drawn_works(draw, 1), old=old, settings={"warmup": warmup})
            _, result = _timed(student, expect, case)
            want = _samples(case, 1, 0)
            words = f"samples, {'older work in the queue' if old else 'an idle device'}, "
            words += f"warmup={warmup}"
            expect.close(result["samples"], want, rtol=1e-9, what=words, unit="s")


@check("8.2.g", row="timing", level="pass")
def test_slow_first_calls_are_not_reported(student, draw, expect):
    """What the first calls take is in no sample and in no number made of them."""
    warmup = draw.integer(3, 6)
    works = [*drawn_works(draw, warmup, scale=100), *drawn_works(draw, 1)]
    case = case_of(draw, works, settings={"warmup": warmup, "repeats": 20})
    seen, result = _timed(student, expect, case)
    want = _samples(case, 1, warmup)
    expect.close(result["samples"], want, rtol=1e-9, what="samples after a slow start", unit="s")
    expect.between(seen["calls"], warmup + 20, warmup + 24, what="calls of the function")


@check("8.2.g", row="timing", level="pass")
def test_a_clock_with_coarse_steps(student, draw, expect):
    """A sample lasts a hundred steps of the clock, with as few calls as a power of two allows."""
    power, tick = draw.integer(4, 9), draw.integer(8_000, 16_000)
    work = round(100 * tick / (0.75 * 2**power))
    slow = 200 * tick  # long enough alone: who tries while it runs takes one call for enough
    for words, old, first in (
        ("", 0, []),
        (" after slow first calls", 0, [[slow], [slow]]),
        (" behind older work", slow, []),
    ):
        settings = {"repeats": 5, "warmup": len(first)}
        case = case_of(draw, [*first, [work]], tick=tick, old=old, settings=settings)
        case |= {"launch": 1, "sync": 1}
        _, result = _timed(student, expect, case)
        expect.equal(result["calls"], 2**power, what=f"calls in a sample{words}")
        want = _samples(case, 2**power, len(first))
        # begin and end are each off by less than one of at least a hundred steps
        what = f"time per call{words}"
        expect.close(result["samples"], want, rtol=0.0101, what=what, unit="s")


@check("8.2.g", row="timing", level="pass")
def test_no_sync_between_the_calls_of_a_sample(student, draw, expect):
    """Nothing waits between the calls of a sample: the host runs ahead within it."""
    tick = draw.integer(200, 400)
    case = case_of(draw, [[tick // 4]], tick=tick, settings={"repeats": 20, "warmup": 1})
    case |= {"sync": tick // 4, "launch": tick // 8}
    _, result = _timed(student, expect, case)
    per_call = result["samples"]
    want = _samples(case, 512, 0)
    expect.close(list(per_call), want, rtol=0.0101, what="time per call", unit="s")


@check("8.2.g", row="timing", level="pass")
def test_median_and_spread_of_the_samples(student, draw, expect):
    """Median and interquartile range are those of the samples, one of which is far too long."""
    works = drawn_works(draw, 20 + 3)
    works[draw.integer(5, 20)] = [40_000]
    case = case_of(draw, [*works, works[0]])
    seen, result = _timed(student, expect, case)
    expect.between(seen["calls"], 23, 24, what="calls of the function")
    # whoever tries a sample first has called once more
    want = _samples(case, 1, seen["calls"] - 20)
    expect.close(result["samples"], want, rtol=1e-9, what="samples, in their order", unit="s")
    quartiles = [quantile(want, q) for q in (0.25, 0.5, 0.75)]
    expect.close(result["median"], quartiles[1], rtol=1e-9, what="median", unit="s")
    spread = quartiles[2] - quartiles[0]
    expect.close(result["iqr"], spread, rtol=1e-6, atol=1e-15, what="iqr", unit="s")


@check("8.2.g", row="timing", level="pass")
def test_the_process_is_left_as_it_was(student, draw, expect):
    """What a timer switches off to measure is on again afterwards, also if the function raises."""
    case = case_of(draw, drawn_works(draw, 1), settings={"warmup": 1, "repeats": 5})
    nothing_left_changed(student, expect, "timed", case)


@check("8.2.g", row="timing", level="pass")
def test_what_cannot_be_timed(student, draw, expect):
    """No repeats, a negative warm-up, and a function too short for the clock are refused."""
    case = case_of(draw, drawn_works(draw, 1))
    for change, why in (
        ({"repeats": 0}, "for no repeats"),
        ({"warmup": -1}, "for a warm-up of -1"),
    ):
        settings = {**case["settings"], **change}
        refused(student, expect, why, "timed", {**case, "settings": settings})
    short = {**case, "tick": 100_000, "settings": {"warmup": 0, "repeats": 2, "most": 8}}
    refused(student, expect, "if `most` calls are too short for the clock", "timed", short)
    nothing = {**case, "tick": 1000, "launch": 0, "sync": 0, "works": [[]]}
    refused(student, expect, "if the function takes no time at all", "timed", nothing)
    long = {**short, "works": [[100 * 100_000 // 6]]}
    _, result = _timed(student, expect, long)
    expect.equal(result["calls"], 8, what="calls in a sample where `most` are just enough")
