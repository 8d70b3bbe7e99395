"""Hidden checks of unit 8.3, PyTorch stage: meters that refuse instead of saying zero (8.3.k)."""

from __future__ import annotations

from grader.checks import check

from .answers import fine, refused


def _meter(student, device, live=None, peak=None, as_object=False, more=0):
    case = {"device": device, "live": live, "peak": peak, "as_object": as_object, "more": more}
    return student.run("metered", case)


def _through(expect, answer, device):
    note = f"An error within `with meter_for({device!r})` did not come out: look at __exit__."
    expect.that(answer["through"], note)


@check("8.3.k", row="prediction", level="pass")
def test_no_device_no_number(student, draw, expect):
    """Where there is no CUDA device a CUDA meter is refused: 0 would have been a lie."""
    for device in ("cuda", f"cuda:{draw.integer(0, 3)}"):
        for as_object in (False, True):
            answer = _meter(student, device, as_object=as_object)
            why = f"for {device} without a CUDA device"
            refused(expect, answer, "meter_for", why, "RuntimeError")
    refused(expect, _meter(student, "meta"), "meter_for", "for the meta device", "RuntimeError")


@check("8.3.k", row="prediction", level="pass")
def test_the_cpu_has_a_live_meter(student, draw, expect):
    """The meter of a CPU is a new one that counts what lives; its peak can be reset."""
    for as_object in (False, True):
        answer = _meter(student, "cpu", as_object=as_object)
        fine(expect, answer, "meter_for of a CPU")
        what = "live and peak after 400 B beside 800 B that died, then after a reset"
        expect.equal(answer["read"], [[400, 1200], [400, 400]], what=what, unit="B")
        what = "live and peak of a second meter_for('cpu'), while the first one has 400 B"
        expect.equal(answer["second"], [0, 0], what=what, unit="B")
        _through(expect, answer, "cpu")


@check("8.3.k", row="prediction", level="pass")
def test_the_allocator_of_this_device(student, draw, expect):
    """A CUDA meter reads allocated bytes, not reserved ones, of the device that was asked for."""
    live = {str(k): draw.integer(1000, 9000) for k in range(2)}
    peak = {key: value + draw.integer(100, 900) for key, value in live.items()}
    more = draw.integer(10, 90)
    for device, number, as_object in (("cuda:1", "1", False), ("cuda:1", "1", True),
                                      ("cuda", "0", False)):  # fmt: skip
        answer = _meter(student, device, dict(live), dict(peak), as_object, more)
        fine(expect, answer, f"meter_for({device!r}) with a CUDA device")
        first, top = live[number], peak[number]
        want = [[first, top], [first + more, top + 3 * more], [first + more, first + more]]
        what = f"live and peak of {device}: at first, later, and after a reset"
        expect.equal(answer["read"], want, what=what, unit="B")
        expect.equal(answer["resets"], [int(number)], what=f"devices reset by a meter of {device}")
        _through(expect, answer, device)
    case = {"devices": ["cuda:0", "cuda:1"], "live": live, "peak": peak}
    got = student.run("metered_together", case)
    want = [[live[key], peak[key]] for key in ("0", "1")]
    expect.equal(got, want, what="live and peak of cuda:0 and cuda:1, both made first", unit="B")


@check("8.3.k", row="prediction", level="pass", device="cuda")
def test_a_device_that_is_there(student, draw, expect):
    """On a CUDA device the meter reads what tensors have, in blocks of 512 bytes."""
    kept, gone = draw.integer(1, 40), draw.integer(41, 90)
    case = {"device": "cuda", "kept": kept * 512 - 7, "gone": gone * 512 - 7}
    seen = student.run("device_metered", case)
    want = {"grown": kept * 512, "peak": (kept + gone) * 512}
    expect.equal(seen, want, what="growth and peak of the device", unit="B")
