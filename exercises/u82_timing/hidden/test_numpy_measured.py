"""Hidden checks of measured (8.2.c): each timer's waits are put into the program and lived."""

from __future__ import annotations

import math
from itertools import count

from grader.checks import check
from grader.checks.many import refusals, values_of

from .lived import lived, op_of, random_program, told, wait_of


def _values(student, expect, function, calls):
    return [value for _, value in values_of(student, expect, function, calls)]


def _printed(before, region, policy, sync):
    """Return what a timer prints, by adding its waits to the program and living through it."""
    number = count()

    def timer():
        return wait_of(f"timer{next(number)}")

    start = [] if policy in ("naive", "end_only") else [timer()]
    timed = list(region)
    if policy == "every_op":
        timed = [op for kernel in region for op in (kernel, timer())]
    elif policy not in ("naive", "start_only"):
        timed.append(timer())
    begin = lived([*before, *start], sync)["host"]
    return lived([*before, *start, *timed], sync)["host"] - begin


def _region(draw, kernels, launch=5, work=100):
    return [op_of(f"k{i}", "main", launch, work + draw.integer(0, 9)) for i in range(kernels)]


POLICIES = ("naive", "start_only", "end_only", "honest", "every_op")


@check("8.2.c", row="timing", level="pass")
def test_what_the_timers_print(student, draw, expect):
    """A timer prints launches, older work or its own work, by where its syncs are."""
    scenes = {
        "an empty queue": [],
        "older work in the queue": [op_of("old", "main", 2, draw.integer(300, 600))],
        # longer than the region, so that a wait for the region's own stream is seen
        "older work in another stream": [op_of("old", "side", 2, draw.integer(700, 900))],
        "older work that is over": [op_of("old", "main", 2, 50), op_of("pause", None, 400)],
    }
    region = _region(draw, draw.integer(3, 5))
    sync = draw.integer(1, 9)
    for policy in POLICIES:
        calls = [((before, region, policy, sync), {}) for before in scenes.values()]
        values = _values(student, expect, "measured", calls)
        for (words, before), got in zip(scenes.items(), values, strict=True):
            want = _printed(before, region, policy, sync)
            expect.close(got, want, rtol=1e-9, what=f"the {policy} timer, {words}", unit="us")


@check("8.2.c", row="timing", level="pass")
def test_what_events_print(student, draw, expect):
    """Events print the time on the device: idle gaps within the region, and no older work."""
    launch, work, old = draw.integer(4, 9), draw.integer(50, 90), draw.integer(400, 800)
    kernels = [op_of(f"k{i}", "main", launch, work) for i in range(3)]
    slow = [op_of(f"k{i}", "main", work, launch) for i in range(3)]
    queued, other = [op_of("old", "main", 2, old)], [op_of("old", "side", 2, old)]
    waiting = [{**kernels[0], "after": ["old"]}, *kernels[1:]]
    scenes = {
        "a busy queue": (queued, kernels, 3 * work),
        "an idle device": ([], kernels, launch + 3 * work),
        "launches slower than the work": ([], slow, 3 * work + launch),
        "a first kernel that waits for another stream": (other, waiting, old + 3 * work),
        "a pause of the host in it": ([], [kernels[0], op_of("pause", None, 1000), kernels[1]],
                                      2 * launch + 1000 + work),
    }  # fmt: skip
    calls = [((before, region, "events"), {}) for before, region, _ in scenes.values()]
    values = _values(student, expect, "measured", calls)
    for (words, (_, _, want)), got in zip(scenes.items(), values, strict=True):
        expect.close(got, want, rtol=1e-9, what=f"two events, {words}", unit="us")


@check("8.2.c", row="timing", level="pass")
def test_timers_in_any_program(student, draw, expect):
    """In random programs over three streams each timer prints what a brute-force scheduler says."""
    calls = []
    for policy in (*POLICIES, *POLICIES):
        before = random_program(draw, draw.integer(0, 6), prefix="old")
        region = random_program(draw, draw.integer(1, 6), prefix="new")
        calls.append(((before, region, policy, draw.integer(0, 3)), {}))
    calls.append((([], _region(draw, 2), "honest"), {}))
    pause = op_of("pause", None, draw.integer(20, 50))
    for policy in POLICIES:
        calls.append((([], [*_region(draw, 2), pause], policy, 3), {}))
    for (arguments, _), got in zip(calls, _values(student, expect, "measured", calls), strict=True):
        before, region, policy = arguments[:3]
        want = _printed(before, region, policy, arguments[3] if len(arguments) > 3 else 1)
        words = f"the {policy} timer of {told(region)} after {told(before) or 'nothing'}"
        expect.close(got, want, rtol=1e-9, what=words, unit="us")


@check("8.2.c", row="timing", level="strong")
def test_one_sync_moves_one_number(student, draw, expect):
    """Without the start sync older work is printed, without the end sync the kernels are not."""
    launch, sync = draw.integer(3, 9), draw.integer(1, 5)
    old, work, kernels = draw.integer(300, 900), draw.integer(60, 120), draw.integer(3, 6)
    before = [op_of("old", "main", 0, old)]
    region = [op_of(f"k{i}", "main", launch, work) for i in range(kernels)]
    calls = [((before, region, policy, sync), {}) for policy in POLICIES]
    printed = dict(zip(POLICIES, _values(student, expect, "measured", calls), strict=True))
    want = {
        "naive": kernels * launch,
        "start_only": kernels * launch,
        "end_only": old + kernels * work + sync,
        "honest": launch + kernels * work + sync,
        "every_op": kernels * (launch + work + sync),
    }
    for policy in POLICIES:
        expect.close(
            printed[policy], want[policy], rtol=1e-9, what=f"the {policy} timer", unit="us"
        )


@check("8.2.c", row="timing", level="pass")
def test_timers_that_there_are_not(student, draw, expect):
    """Unknown timers, programs that are none, and events over several streams are refused."""
    one, two = op_of("a", "main", 5, 9), op_of("b", "side", 5, 9)
    cases = [
        ("if the policy is another word", ([], [one], "best"), {}),
        ("if a name is in both parts", ([one], [one], "naive"), {}),
        ("if a time is negative", ([], [op_of("a", "main", -5)], "honest"), {}),
        ("if events are asked of two streams", ([], [one, two], "events"), {}),
        ("if events are asked of no stream", ([one], [op_of("h", None, 5)], "events"), {}),
        (
            "if a time is NaN and events are asked",
            ([], [op_of("a", "main", math.nan)], "events"),
            {},
        ),
    ]
    refusals(student, expect, "measured", cases)
