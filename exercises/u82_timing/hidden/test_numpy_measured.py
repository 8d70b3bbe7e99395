"""Hidden checks of measured (8.2.c): each timer's waits are put into the program and lived."""

from __future__ import annotations

from itertools import count

from grader.checks import check
from grader.checks.many import refusals

from .lived import between_marks, lived, op_of, random_program, told, wait_of
from .programs import plain_values, with_bad_references, with_bad_times


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
        values = plain_values(student, expect, "measured", calls)
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
    pause = op_of("pause", None, 1000)
    scenes = {
        "a busy queue": (queued, kernels),
        "an idle device": ([], kernels),
        "launches slower than the work": ([], slow),
        "a first kernel that waits for another stream": (
            other, [{**kernels[0], "after": ["old"]}, *kernels[1:]]),
        "older work in another stream, which ends last": (other, kernels),
        "older work that is over": ([*queued, pause], kernels),
        "a pause of the host first in it": ([], [pause, *kernels]),
        "a pause of the host in it": ([], [kernels[0], pause, kernels[1]]),
        "a pause of the host last in it": (queued, [*kernels, pause]),
        "a wait of the host in it": ([], [kernels[0], wait_of(), *kernels[1:]]),
        "a wait of the host first in it": (queued, [wait_of(), *kernels]),
        "a wait of the host last in it": ([], [*kernels, wait_of(waits=["k0"])]),
        "a wait of the host for another stream": (
            other, [kernels[0], wait_of(waits=["old"]), kernels[1]]),
    }  # fmt: skip
    scenes = {words: (*scene, 9) for words, scene in scenes.items()}
    for number in range(8):
        ops = random_program(draw, 2 + number, streams=["main"], prefix="new")
        # an event belongs to a stream: a region without work has none
        region = [*ops, op_of("k", "main", launch, draw.integer(0, 9))]
        before = random_program(draw, draw.integer(0, 5), prefix="old")
        words = f"{told(region)} after {told(before) or 'nothing'}"
        scenes[words] = (before, region, draw.integer(2, 9))
    calls = [((before, region, "events", sync), {}) for before, region, sync in scenes.values()]
    values = plain_values(student, expect, "measured", calls)
    for (words, scene), got in zip(scenes.items(), values, strict=True):
        want = between_marks(*scene)
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
    values = plain_values(student, expect, "measured", calls)
    for (arguments, _), got in zip(calls, values, strict=True):
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
    printed = dict(zip(POLICIES, plain_values(student, expect, "measured", calls), strict=True))
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
        ("if events are asked of two streams", ([], [one, two], "events"), {}),
        ("if events are asked of no stream", ([one], [op_of("h", None, 5)], "events"), {}),
    ]
    programs = with_bad_times() | with_bad_references()
    for policy in ("honest", "events"):
        cases += [(f"{why} ({policy})", ([], ops, policy), {}) for why, ops in programs.items()]
    refusals(student, expect, "measured", cases)
