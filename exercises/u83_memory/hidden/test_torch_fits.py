"""Hidden checks of unit 8.3, PyTorch stage: a second try that can succeed (8.3.o)."""

from __future__ import annotations

from grader.checks import check

from .answers import fine, refused


def _fit(student, sizes, fails, *, once=False, nothing=False, cycle=False):
    fails = {str(size): kind for size, kind in fails.items()}
    case = {"sizes": sizes, "fails": fails, "once": once, "nothing": nothing,
            "cycle": cycle}  # fmt: skip
    return student.run("fitted", case)


@check("8.3.o", row="prediction", level="pass")
def test_the_next_try_begins_clean(student, draw, expect):
    """Nothing of a failed attempt is alive when the next one begins, nor in the last error."""
    sizes = [2 * n for n in sorted(set(draw.integers(8, 90, 5)), reverse=True)]
    kinds = draw.shuffled(["torch", "memory", "text"])
    fails = {size: kinds[k % 3] for k, size in enumerate(sizes[:-1])}
    answer = _fit(student, sizes, fails)
    fine(expect, answer, "first_fit")
    alive = [one["alive"] for one in answer["tries"]]
    expect.equal(alive, [0] * len(sizes), what="failed attempts that are still alive at each try")
    answer = _fit(student, sizes, {**fails, sizes[-1]: "torch"})
    refused(expect, answer, "first_fit", "if no size fits", "MemoryError")
    expect.equal(answer["held"], 0, what="failed attempts that the last error holds")


@check("8.3.o", row="prediction", level="pass")
def test_an_attempt_that_keeps_its_exception(student, draw, expect):
    """Where frame and exception hold each other, the failed attempt has gone all the same."""
    sizes = draw.shuffled(range(10, 14))
    kinds = draw.shuffled(["torch", "memory", "text"])
    fails = dict(zip(sizes, kinds, strict=False))
    what = "failed attempts, which keep their own exceptions, that are still alive at each try"
    answer = _fit(student, sizes, fails, cycle=True)
    fine(expect, answer, "first_fit")
    expect.equal([one["alive"] for one in answer["tries"]], [0] * 4, what=what)
    answer = _fit(student, sizes, {**fails, sizes[-1]: "torch"}, cycle=True)
    refused(expect, answer, "first_fit", "if no size fits", "MemoryError")
    expect.equal(answer["held"], 0, what="failed attempts that are alive after the last error")


@check("8.3.o", row="prediction", level="pass")
def test_the_first_size_that_fits(student, draw, expect):
    """Sizes are tried in their order, and the first that fits is returned with its result."""
    sizes = draw.shuffled(range(10, 16))
    for kind in ("torch", "memory", "text"):
        answer = _fit(student, sizes, dict.fromkeys(sizes[:2], kind), once=True)
        fine(expect, answer, f"first_fit after an error of the kind {kind}")
        want = [sizes[2], [sizes[2], "fits"]]
        expect.equal(answer["value"], want, what="size and result")
        tried = [one["size"] for one in answer["tries"]]
        expect.equal(tried, sizes[:3], what="sizes that were tried")
        taken = [one["taken"] for one in answer["tries"]]
        what = "sizes that a generator had been asked for at each try (it could be without end)"
        expect.equal(taken, [1, 2, 3], what=what)
    answer = _fit(student, sizes, {sizes[0]: "memory"}, nothing=True)
    fine(expect, answer, "first_fit of an attempt that returns nothing")
    expect.equal(answer["value"], [sizes[1], None], what="size and result, which is None")
    expect.equal(len(answer["tries"]), 2, what="attempts of which the second returns None")


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
        refused(expect, _fit(student, [], {}, once=once), "first_fit", "if there are no sizes")
