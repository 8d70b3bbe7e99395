"""Checks of unit 8.2 that confirm on a CUDA device what the others show on simulated ones."""

from __future__ import annotations

from grader.checks import check


def _timed(student, expect):
    seen = student.run("timed_on_cuda", {"size": 4096})
    for name in ("honest", "events"):
        expect.between(seen[name], 0.0, 60.0, what=f"the time by {name}", unit="s")
    if seen["device"] < 5 * seen["launch"]:
        expect.inconclusive("The device is as fast as the launches here, so that timers agree.")
    return seen


@check("8.2.g", row="timing", level="pass", device="cuda")
def test_honest_on_cuda(student, expect):
    """On a CUDA device the timer gives the time of the work and not of its launch."""
    seen = _timed(student, expect)
    # launches are at most 0.2 of it, and a device that speeds up meanwhile is not twice as fast
    fine = seen["honest"] >= 0.4 * seen["device"]
    # no time is shown: it differs from run to run, and a mistake is known by what it gives
    expect.that(fine, "The timer says less than the device needs: it did not wait.")
    if seen["honest"] > 2 * seen["device"]:
        expect.inconclusive("The machine was disturbed while the function was timed.")


@check("8.2.h", row="timing", level="pass", device="cuda")
def test_events_on_cuda(student, expect):
    """On a CUDA device the events give the time of the work, in seconds."""
    seen = _timed(student, expect)
    ratio = seen["events"] / seen["device"]
    # the slips are factors of a thousand (milliseconds) or of the whole time (launches)
    expect.that(0.2 <= ratio <= 50, "The events are far from what the device needs: look at the "
                "unit, and at where they are recorded.")  # fmt: skip
    if not 0.5 <= ratio <= 2:
        expect.inconclusive("The machine was disturbed while the function was timed.")


@check("8.2.l", row="timing", level="pass", device="cuda")
def test_prefetched_on_cuda(student, expect):
    """On a CUDA device every batch has its own values when it is used, however busy the device."""
    count, size = 12, 1 << 20
    seen = student.run("prefetched_on_cuda", {"count": count, "size": size, "busy": 2048})
    want = [float(size * number) for number in range(count)]
    expect.equal(len(seen["sums"]), count, what="batches that were handed out")
    # sums of equal whole numbers are exact in float64
    note = "A batch had other values than its own when queued work used it."
    expect.that(list(seen["sums"]) == want, note)
