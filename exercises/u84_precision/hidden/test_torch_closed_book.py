"""Hidden checks of the closed-book loop (8.4.n), observed from outside."""

from __future__ import annotations

import math
import re

import numpy as np

from grader.checks import check

from .asked import quietly

WORDS = ("scale", "backward", "unscale", "clip", "step", "update")


def _closed(student, expect, case):
    seen = quietly(student, expect, "closed_book", case)
    answer = seen["answer"]
    expect.keys(answer, ["scales", "stepped", "norms", "order"], what="the result")
    for name in ("scales", "stepped", "norms"):
        value = answer[name]
        fine = isinstance(value, list | tuple | np.ndarray) and len(value) == case["steps"]
        expect.that(fine, f"{name} must have one entry an iteration.", value)
    return seen, answer


def _drawn(draw):
    interval = draw.integer(2, 4)
    return {
        "steps": draw.integer(9, 12),
        "bad_step": interval + 1 + draw.integer(0, 1),
        "growth_interval": interval,
    }


@check("8.4.n", row="fault_repair", level="pass")
def test_closed_book_trace(student, draw, expect):
    """One overflow halves the scale, leaves its step out, and starts the count again."""
    case = _drawn(draw)
    seen, answer = _closed(student, expect, case)
    scale, since, want = 1024.0, 0, []
    for number in range(1, case["steps"] + 1):
        if number == case["bad_step"]:
            scale, since = scale / 2, number
        elif (number - since) % case["growth_interval"] == 0:
            scale = scale * 2
        want.append(scale)
    expect.equal(list(answer["scales"]), want, what="scale after each iteration")
    good = [number != case["bad_step"] for number in range(1, case["steps"] + 1)]
    expect.equal([bool(x) for x in answer["stepped"]], good, what="whether the weights moved")
    expect.equal(
        len(seen["updates"]), case["steps"] - 1, what="steps that an optimizer really took"
    )


@check("8.4.n", row="fault_repair", level="pass")
def test_closed_book_runs_in_float16(student, draw, expect):
    """The layers run in float16 on float32 weights, and there are at least two of them."""
    case = _drawn(draw)
    seen, _ = _closed(student, expect, case)
    expect.that(seen["layers"] >= 2, "Fewer than two nn.Linear layers ran.", seen["layers"])
    expect.equal(
        sorted(set(seen["dtypes"])), ["torch.float16"], what="dtypes of the layers' outputs"
    )
    expect.equal(seen["parameters"], ["torch.float32"], what="dtypes of the weights")
    fine = len(seen["dtypes"]) >= 2 * case["steps"]
    expect.that(fine, "The layers ran fewer times than there are iterations.", len(seen["dtypes"]))


@check("8.4.n", row="fault_repair", level="pass")
def test_closed_book_norms_are_true(student, draw, expect):
    """The norms are those of the unscaled gradients, and what is applied is clipped to 1."""
    case = _drawn(draw)
    seen, answer = _closed(student, expect, case)
    good = [number != case["bad_step"] for number in range(1, case["steps"] + 1)]
    norms = [
        float(x) if isinstance(x, int | float | np.number) else math.nan for x in answer["norms"]
    ]
    for norm, fine in zip(norms, good, strict=True):
        expect.that(
            math.isfinite(norm) == fine, "A norm must be finite, but for that of bad_step.", norm
        )
    taken = [norm for norm, fine in zip(norms, good, strict=True) if fine]
    expect.equal(len(seen["updates"]), len(taken), what="steps that an optimizer really took")
    for norm, applied in zip(taken, seen["updates"], strict=True):
        fine = applied >= 0.5 * min(norm, 1.0)
        expect.that(fine, "The gradient that the optimizer got is far shorter than min(norm, 1).")
        # float16 is nowhere in this: norms are taken in float32, over some hundred entries
        expect.close(
            applied,
            min(norm, 1.0),
            rtol=1e-3,
            what="norm of the gradient that the optimizer got, against min(norm, 1)",
        )


@check("8.4.n", row="fault_repair", level="pass")
def test_closed_book_order(student, draw, expect):
    """One sentence names the six calls in the order in which they are made."""
    _, answer = _closed(student, expect, _drawn(draw))
    sentence = str(answer["order"]).casefold()
    places = []
    for word in WORDS:
        # "unscale" must not count as "scale", "unclipped" not as "clip"
        found = re.search(rf"(?<![a-z]){word}", sentence)
        expect.that(found is not None, f"The sentence lacks the word {word}.")
        places.append(found.start())
    named = [word for _, word in sorted(zip(places, WORDS, strict=True))]
    expect.equal(named, list(WORDS), what="the six words, in the order of their first places")
