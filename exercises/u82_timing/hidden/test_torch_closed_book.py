"""Hidden checks of closed_book_timers (8.2.m)."""

from __future__ import annotations

import re

from grader.checks import check

from .launches import US, nothing_left_changed
from .lived import OneStream

TIMERS = ("start_only", "end_only", "honest")


def _three_timers(case):
    truth, printed = OneStream(case), {}
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
    nothing_left_changed(student, expect, "closed_book", case)


@check("8.2.m", row="timing", level="strong")
def test_the_sync_that_is_missed_is_named(student, draw, expect):
    """The sentence names the one sync without which the print is further from the honest one."""
    for word, prepared, work in draw.shuffled([("start", 2000, 60), ("end", 60, 700)]):
        _, seen = _closed_book(student, draw, expect, prepared + draw.integer(0, 99), work)
        expect.equal(seen["result"]["missed"], word, what="missed")
        sentence = seen["result"]["sentence"]
        expect.that(isinstance(sentence, str), "The sentence must be text.")
        # start_only and end_only are names of timers, and no words of their own
        words = set(re.findall(r"(?<!\w)(?:start|end)(?!\w)", sentence.lower()))
        expect.equal(sorted(words), [word], what="syncs that the sentence names")
    # times in 1/64 s, which are exact: both syncs are missed by the same
    tick = 15_625
    case = {"launch": tick, "sync": 0, "prepared": 5 * tick, "work": [4 * tick]}
    result = student.run("closed_book", case)["result"]
    expect.keys(result, [*TIMERS, "missed"], what="the result")
    expect.equal(result["missed"], "end", what="missed, where both differ by the same")
