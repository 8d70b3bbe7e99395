"""Hidden checks of the optimization: the same numbers, the same learning, the claim measured."""

from __future__ import annotations

from typing import Any

from grader.checks import check
from grader.instruments.gain import CLAIM_MARGIN, TOLERANCE

from .optimization import read_optimization, read_tolerance
from .project import LONG, SOUND, adapter_of

ELSEWHERE = 0.5
"""How far apart two runs may go in a step, over the way that they make.

AdamW divides by the size of a gradient: entries that are noise move by a whole step either way, so
that even the same arithmetic in another precision goes up to some 0.15 apart. Twice the learning
rate, or another optimizer, is at 1 or so.
"""

MADE = 0.9
"""Share of the timed steps that must move the weights; a scaler may skip a few."""

HANDED_OUT = " (the trainer that is handed out, without its fault, which is no heavier than yours)"

BY_HEART, SHUFFLED = 0.1, 0.1
"""Shares of the loss at the start by which the two runs may differ in what they learned.

The same arithmetic in another order moves a loss by some 1e-3 over 25 steps; a frozen layer or a
loss of another size moves it by more than a tenth.
"""


@check("mini-project.j", row="optimization_validity")
def test_it_computes_the_same(student, handed_in, draw, expect):
    """From the same weights, losses and gradients are the repaired trainer's, as declared."""
    seen = student.run("equivalent", {"seed": draw.integer(0, 1000)}, LONG)
    tolerance = read_tolerance(handed_in)
    expect.that(seen["same"], "The parameters have other names than those of repaired(seed).")
    for step, row in enumerate(seen["steps"]):
        expect.close(row["new"], row["loss"], rtol=tolerance, what=f"the loss of step {step}")
        message = (
            f"The gradient of {row['largest']} in step {step} differs by {row['gap']:.2g} of its "
            f"length (or of a quarter of the whole gradient's), more than the declared "
            f"{tolerance:g}."
        )
        expect.that(row["gap"] <= tolerance, message, row["gap"])
        message = (
            f"In step {step} the weights move elsewhere: the difference is {row['moved']:.2g} of "
            "the way that the repaired trainer makes."
        )
        expect.that(row["moved"] <= ELSEWHERE, message, row["moved"])


@check("mini-project.j", row="optimization_validity")
def test_it_learns_the_same(student, draw, expect):
    """One batch is learned by heart, every parameter moves, shuffled labels teach nothing more."""
    seen = student.run("controls", {"seed": draw.integer(0, 1000)}, LONG)
    base, new = seen["base"], seen["new"]
    still = [name for name in new["still"] if name not in base["still"]]
    expect.that(not still, f"These parameters do not learn: {', '.join(still[:3])}.", len(still))
    room = BY_HEART * base["start"]
    message = (
        f"One batch, trained on alone, has a loss of {new['by heart']:.3g} in the end; the "
        f"repaired trainer brings it to {base['by heart']:.3g}."
    )
    expect.that(new["by heart"] <= base["by heart"] + room, message, new["by heart"])
    message = (
        f"Trained on shuffled labels, the loss on true ones is {new['shuffled']:.3g}; the repaired "
        f"trainer has {base['shuffled']:.3g}: the labels come from somewhere else."
    )
    good = new["shuffled"] >= base["shuffled"] - SHUFFLED * base["start"]
    expect.that(good, message, new["shuffled"])


@check("mini-project.j", row="optimization_validity", level="strong", person=True)
def test_the_claim_is_what_is_measured(student, handed_in, draw, expect):
    """A gain is there when measured again, and not smaller; a null is none, and has its cause."""
    student.run("tried", {"function": "optimized"})
    case = {"seed": draw.integer(0, 1000), "warm": draw.integer(1, 3)}
    start = {"start": SOUND, "adapter": adapter_of(handed_in)}
    peaks = student.run("peaks", {**case, **start}, LONG)
    claim = read_optimization(handed_in)
    message = (
        "A step whose memory is measured does not do what the repaired trainer's does: the weights "
        f"move {peaks['moved']:.2g} of its way apart. Every step must be a whole one."
    )
    expect.that(peaks["moved"] <= ELSEWHERE, message, peaks["moved"])
    _expect_usual(expect, peaks)
    message = (
        f"The memory of a step cannot be seen in {peaks['unseen']}: all modes of torch are off "
        "there, or it runs in another thread."
    )
    expect.that(not peaks["unseen"], message, peaks["unseen"])
    gains = claim.claim == "gain"
    if claim.of == "memory":
        base = min(peaks["base"], peaks["start"]) if gains else peaks["base"]
        ratio = base / peaks["new"]
        seen = "gain" if ratio > TOLERANCE else "null" if ratio >= 1 / TOLERANCE else "loss"
        whose = HANDED_OUT if base < peaks["base"] else ""
        words = f"a peak of {base} B before{whose} and {peaks['new']} B after, {ratio:.3f}"
        _expect_claim(expect, claim, seen, ratio, words)
        return
    # a gain is one over the trainer that was handed out, too
    for more, whose in (({}, ""), (start, HANDED_OUT)) if gains else (({}, ""),):
        speed = student.run("speed", {**case, **more}, LONG)
        _expect_usual(expect, speed)
        message = (
            f"Of the steps that were timed, only {speed['made']:.0%} moved the weights: every step "
            "must be a whole one."
        )
        expect.that(speed["made"] >= MADE, message, speed["made"])
        if speed["state"] not in ("gain", "null", "slower"):
            expect.inconclusive(speed["note"])
        words = f"{speed['low']:.3f} to {speed['high']:.3f}{whose}"
        _expect_claim(expect, claim, speed["state"], speed["high"], words)


def _expect_usual(expect: Any, seen: dict[str, Any]) -> None:
    """Expect that nothing is on in the process that all trainers have to bear."""
    message = f"Left on in the process, for all trainers to bear: {seen['weighing']}."
    expect.that(not seen["weighing"], message, seen["weighing"])


def _expect_claim(expect: Any, claim: Any, seen: str, most: float, words: str) -> None:
    message = f"optimization.toml claims a {claim.claim} of {claim.of}, and measured is: {words}."
    expect.that(claim.claim == seen, message, claim.claim)
    if claim.claim == "gain":
        message = f"optimization.toml claims {claim.ratio:g}, and measured is only {words}."
        expect.that(claim.ratio <= most * CLAIM_MARGIN, message, claim.ratio)
