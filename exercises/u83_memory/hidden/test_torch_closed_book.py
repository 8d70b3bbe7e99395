"""Hidden checks of unit 8.3, PyTorch stage: the closed-book task (8.3.p)."""

from __future__ import annotations

import re
from itertools import pairwise

from grader.checks import check

NAMES = ("forward", "backward", "optimizer")


CLOSED = ("parameters", "gradients", "optimizer", "activations")


def _closed(student, expect, widths, batch):
    seen = student.run("closed_book", {"widths": widths, "batch": batch})
    expect.keys(seen["answer"], ["predicted", "measured", "peak_phase", "sentence"])
    for side in ("predicted", "measured"):
        expect.keys(seen["answer"][side], CLOSED, what=side)
    return seen


@check("8.3.p", row="prediction", level="pass")
def test_closed_book(student, draw, expect):
    """What was predicted from widths and batch is what was measured, to the byte."""
    for layers in (2, draw.integer(3, 4)):
        widths, batch = draw.integers(4, 60, layers + 1), draw.integer(2, 50)
        seen = _closed(student, expect, widths, batch)
        weights = 4 * sum(n * m + m for n, m in pairwise(widths))
        want = {"parameters": weights, "gradients": weights,
                "optimizer": 2 * weights + 8 * layers,
                "activations": 4 * batch * sum(widths[1:]) + 8}  # fmt: skip
        for side in ("predicted", "measured"):
            got = {name: seen["answer"][side][name] for name in CLOSED}
            expect.equal(got, want, what=side, unit="B")


@check("8.3.p", row="prediction", level="strong")
def test_closed_book_ran_and_named(student, reference, draw, expect):
    """Two steps of AdamW ran, and the sentence names the phase that has the peak, and no other."""
    n = draw.integer(60, 90)
    for widths, batch in (([n, n, 10], 3), ([8, n, n, 12], 20 * n)):
        seen = _closed(student, expect, widths, batch)
        expect.that(seen["updates"] >= 2, "AdamW made fewer than two steps.", seen["updates"])
        case = {"widths": widths, "batch": batch, "optimizer": "adamw", "foreach": False,
                "set_to_none": True}  # fmt: skip
        live = reference.run("live_phases", case)
        peaks = {name: live[name]["peak"] for name in live}
        lowest = peaks["update"] - live["update"]["before"] + live["forward"]["before"]
        ran = seen["peak"] >= min(lowest, max(peaks.values()))
        expect.that(ran, "At no time was as much alive as such a step needs: was it run?")
        top = max(peaks, key=lambda name, peaks=peaks: peaks[name])
        top = {"update": "optimizer"}.get(top, top)
        expect.equal(seen["answer"]["peak_phase"], top, what="peak_phase")
        sentence = str(seen["answer"]["sentence"]).casefold()
        expect.that(len(sentence.split()) > 1, "The sentence is a single word.")
        named = [name for name in NAMES if re.search(f"(?<![a-z]){name}(?![a-z])", sentence)]
        expect.equal(named, [top], what="phases that the sentence names")
