"""Hidden checks of event_times (8.2.h), on a device whose clock moves only with work."""

from __future__ import annotations

from grader.checks import check
from grader.checks.watched import refused

from .launches import US, case_of, drawn_works, nothing_left_changed
from .lived import OneStream


def _event_times(case, empties):
    """Return what the events of each call say [s], with or without a wait after the warm-up."""
    truth, works, times = OneStream(case), case["works"], []
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
        works = [*drawn_works(draw, warmup, scale=50), *drawn_works(draw, 8)]
        case = case_of(draw, works, old=old, settings={"warmup": warmup, "repeats": 8})
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
    """From the first event to the last the host does not wait for the device, and then once."""
    case = case_of(draw, drawn_works(draw, 1), settings={"warmup": 1, "repeats": 6})
    history = student.run("evented", case)["history"]
    events = [place for place, what in enumerate(history) if what == "event"]
    # the end of one call may be the beginning of the next
    enough = len(events) > 6
    expect.that(enough, "There must be an event right before and right after each call.")
    inside = history[events[0] : events[-1]].count("sync")
    expect.equal(inside, 0, what="waits of the host between the first event and the last")
    behind = history[events[-1] :].count("sync")
    expect.equal(behind, 1, what="waits of the host after the last event")
    nothing_left_changed(student, expect, "evented", case)


@check("8.2.h", row="timing", level="pass")
def test_no_events_to_read(student, draw, expect):
    """No repeats and a negative warm-up are refused."""
    case = case_of(draw, drawn_works(draw, 1))
    for change, why in (
        ({"repeats": 0}, "for no repeats"),
        ({"warmup": -1}, "for a warm-up of -1"),
    ):
        settings = {**case["settings"], **change}
        refused(student, expect, why, "evented", {**case, "settings": settings})
