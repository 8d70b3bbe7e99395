"""Hidden checks of quiet_training (8.2.k) on the simulated device."""

from __future__ import annotations

import math

from grader.checks import check


def _lines(losses, every):
    """Return the log that is right: steps and mean of each line."""
    lines, start = [], 0
    for end in [*range(every, len(losses) + 1, every), len(losses)]:
        if end > start:
            lines.append([end, math.fsum(losses[start:end]) / (end - start)])
            start = end
    return lines


def _eighths(draw, count, low=1, high=80):
    """Return losses that every dtype can hold, whose sums of float32 are exact."""
    return [draw.integer(low, high) / 8 for _ in range(count)]


def _trained(student, expect, case, words):
    seen = student.run("trained", case)
    expect.that(not seen["refused"], f"quiet_training raised ValueError ({words}).")
    expect.equal(seen["steps"], list(range(len(case["losses"]))), what=f"batches ({words})")
    expect.equal(seen["made"], len(case["losses"]), what=f"steps that were made ({words})")
    want = _lines(case["losses"], case["every"])
    expect.equal(len(seen["lines"]), len(want), what=f"lines of the log ({words})")
    for (steps, mean, kind, _, made), line in zip(seen["lines"], want, strict=True):
        expect.equal(steps, line[0], what=f"steps of a line ({words})")
        expect.equal(made, line[0], what=f"steps made when the line was logged ({words})")
        expect.equal(kind, "float", what=f"type of the mean ({words})")
        expect.close(mean, line[1], rtol=1e-5, what=f"mean after {line[0]} steps ({words})")
    return seen


@check("8.2.k", row="timing", level="pass")
def test_the_log_is_that_of_the_loud_loop(student, draw, expect):
    """Every line has the number of steps and the mean loss since the last one, also the last."""
    for count, every in ((12, 4), (11, 4), (3, 5), (5, 1), (0, 3), (7, 7)):
        for more in ({}, {"shape": [1]}, {"graph": False}):
            case = {"losses": _eighths(draw, count), "every": every, **more}
            _trained(student, expect, case, f"{count} steps, a line every {every}")


@check("8.2.k", row="timing", level="pass")
def test_one_wait_for_each_line(student, draw, expect):
    """The host waits once for each line, right before it is logged, and never besides."""
    every, count = draw.integer(3, 6), draw.integer(20, 30)
    case = {"losses": _eighths(draw, count), "every": every}
    words = f"{count} steps, a line every {every}"
    seen = _trained(student, expect, case, words)
    expect.equal(len(seen["waits"]), len(seen["lines"]), what=f"waits of the host ({words})")
    waits = [row[3] for row in seen["lines"]]
    expect.equal(waits, list(range(1, len(waits) + 1)), what=f"waits before each line ({words})")


@check("8.2.k", row="timing", level="pass")
def test_losses_of_every_dtype_and_kind(student, draw, expect):
    """Sums of float16 do not overflow, small losses of bfloat16 are not lost, NaN and inf show."""
    big = [4096.0 * draw.integer(8, 15) for _ in range(6)]
    _trained(student, expect, {"losses": big, "every": 3, "dtype": "float16"}, "large float16")
    fine = [256.0, *[draw.integer(1, 7) / 8 for _ in range(9)]]
    _trained(student, expect, {"losses": fine, "every": 10, "dtype": "bfloat16"}, "bfloat16")
    for word, value in (("NaN", math.nan), ("inf", math.inf)):
        case = {"losses": [1.0, value, 1.0, 2.0, 3.0, 1.0], "every": 3}
        seen = student.run("trained", case)
        means = [row[1] for row in seen["lines"]]
        expect.equal(len(means), 2, what=f"lines of the log with one {word} among the losses")
        bad = isinstance(means[0], float) and not math.isfinite(means[0])
        note = f"A loss was {word}, and the mean of its line does not show it."
        expect.that(bad, note, means[0])
        what = f"mean of the line after the one with {word}"
        expect.close(means[1], 2.0, rtol=1e-5, what=what)


@check("8.2.k", row="timing", level="pass")
def test_no_loss_keeps_its_graph(student, draw, expect):
    """When a step begins, the graph of at most one earlier loss is still in memory."""
    case = {"losses": _eighths(draw, 14), "every": 5}
    seen = student.run("trained", case)
    expect.equal(len(seen["alive"]), 14, what="steps")
    most = max(seen["alive"])
    expect.that(
        most <= 1, f"The graphs of {most} losses were in memory at once: detach them.", most
    )


@check("8.2.k", row="timing", level="pass")
def test_nothing_grows_with_the_steps(student, draw, expect):
    """What is kept of losses and batches does not grow beyond those of one line of the log."""
    every = draw.integer(2, 4)
    seen = student.run("trained", {"losses": _eighths(draw, 20), "every": every})
    expect.equal(len(seen["stored"]), 20, what="steps")
    # those of the line, and the one that the loop's own name still holds
    most = max(seen["stored"])
    expect.that(
        most <= every + 1, f"{most} losses were in memory, with a line every {every}.", most
    )
    # whoever takes the batches of a line together may look one ahead
    most = max(seen["ahead"])
    note = f"{most} batches were taken ahead of their steps, with a line every {every}: "
    expect.that(most <= every, note + "the source may be longer than memory.", most)


@check("8.2.k", row="timing", level="pass")
def test_a_line_never(student, draw, expect):
    """A line every 0 steps is refused before the first step."""
    for every in (0, -2):
        seen = student.run("trained", {"losses": _eighths(draw, 3), "every": every})
        expect.that(seen["refused"], f"quiet_training must raise ValueError for every={every}.")
        expect.equal(seen["steps"], [], what=f"steps made before it was refused (every={every})")
