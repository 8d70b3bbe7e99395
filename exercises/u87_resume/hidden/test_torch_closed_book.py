"""Hidden checks of the closed-book run: pieces in new processes equal the whole."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

from grader.checks import check
from grader.checks.numbers import is_finite


def _losses(expect: Any, seen: Any, steps: int) -> list[float]:
    """Return the losses of a piece after a look at them."""
    losses = seen["losses"]
    whole = isinstance(losses, list) and len(losses) == steps and all(map(is_finite, losses))
    expect.that(whole, f"closed_book_run did not return {steps} losses of {steps} steps.", losses)
    alike = steps > 4 and len(set(losses)) <= steps // 2
    expect.that(not alike, "The losses hardly change: does the run train?", losses)
    return list(losses)


@check("8.7.l", row="resume")
def test_pieces_equal_the_whole(student, draw, expect):
    """Stopped anywhere and continued in another process, losses and last state are the same."""
    total = draw.integer(9, 12)
    whole_file = str(Path(student.scratch, "whole.pt"))
    whole = student.fresh().run("closed_book", {"file": whole_file, "steps": total})
    wanted = _losses(expect, whole, total)
    first = draw.integer(1, 3)
    # once more at the end: nothing is left to be done then
    stops = [*sorted({first, first + 1, total - draw.integer(1, 4), total}), total]
    file, made = str(Path(student.scratch, "pieces.pt")), 0
    for stop in stops:
        piece = student.fresh().run("closed_book", {"file": file, "steps": stop})
        found = _losses(expect, piece, stop - made)
        count = len(piece["steps"])
        message = (
            f"Stopped at step {made} and called for {stop}, the run made {count} optimizer steps "
            f"and not {stop - made}: it must go on from the file, not begin again."
        )
        expect.that(count == stop - made, message)
        differs = [i for i, loss in enumerate(found) if loss != wanted[made + i]]
        where = f"step {made + differs[0] + 1}, after a stop at step {made}," if differs else ""
        got = found[differs[0]] if differs else None
        expect.that(not differs, f"The loss of {where} differs from the unbroken run's.", got)
        made = stop
    ends = [student.run("look_into", {"file": name}) for name in (whole_file, file)]
    for end in ends:
        message = f"The file does not load with weights_only=True: {end['loads']}"
        expect.that(not end["loads"], message)
    same = ends[0]["leaves"] == ends[1]["leaves"]
    message = "All losses are the same, but the last file of the pieces holds another state."
    expect.that(same, message)


@check("8.7.l", row="resume")
def test_the_run_has_what_is_hard_to_resume(student, draw, expect):
    """It is AdamW with a rate that changes at each step, and random numbers are drawn at each."""
    file, total = str(Path(student.scratch, "run.pt")), draw.integer(6, 9)
    seen = student.run("closed_book", {"file": file, "steps": total})
    _losses(expect, seen, total)
    steps = seen["steps"]
    count = len(steps) == total
    expect.that(count, f"An optimizer of torch.optim made {len(steps)} steps, not {total}.")
    right = all("AdamW" in step["class"] for step in steps)
    expect.that(right, "The optimizer is not torch.optim.AdamW.")
    rates = [step["lr"] for step in steps]
    changes = all(a != b for a, b in pairwise(rates))
    expect.that(changes, "The learning rate is not changed at each step.", rates)
    places = [step["generator"] for step in steps]
    drawn = all(a != b for a, b in pairwise(places))
    message = "Between two steps torch's global generator does not move: is the dropout active?"
    expect.that(drawn, message)
