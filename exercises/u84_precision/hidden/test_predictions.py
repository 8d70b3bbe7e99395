"""Hidden checks of autocast_forward_bytes (8.4.i): a ledger of live tensors on fresh models."""

from __future__ import annotations

import numpy as np

from grader.checks import check
from grader.checks.many import refusals, values_of
from grader.checks.numbers import is_number

TERMS = ("input_copy", "weight_copies", "activations", "log_probabilities", "loss")


def _kept(student, expect, widths, batch):
    calls = [((widths, batch), {})]
    ((_, value),) = values_of(student, expect, "autocast_forward_bytes", calls)
    expect.keys(value, ["fp32", "bf16", "terms", "break_even"], what="the result")
    expect.keys(value["terms"], TERMS, what="terms")
    for name, number in [(n, value[n]) for n in ("fp32", "bf16")] + list(value["terms"].items()):
        expect.that(is_number(number), f"{name} must be a number of bytes.", number)
    return value


@check("8.4.i", row="prediction", level="strong")
def test_live_forward(student, reference, draw, expect):
    """For an mlp drawn just now the bytes are what a ledger of live tensors counts."""
    for depth in (draw.integer(3, 5), 2, 1):
        widths = [draw.integer(5, 60) for _ in range(depth)] + [draw.integer(2, 12)]
        if depth == 1:
            widths = [draw.integer(5, 60), draw.integer(2, 12)]
        batch = draw.integer(1, 40)
        case = {"widths": widths, "batch": batch}
        want = reference.run("live_forward", case, stage="torch")
        got = _kept(student, expect, widths, batch)
        for name in ("fp32", "bf16"):
            expect.equal(
                got[name],
                want[name],
                what=f"{name} bytes of an mlp with {len(widths)} widths",
                unit="B",
            )


@check("8.4.i", row="prediction", level="pass")
def test_terms_of_the_forward(student, draw, expect):
    """The terms add up; activations and the input's copy grow with the batch, weights do not."""
    widths = [draw.integer(20, 60) for _ in range(3)] + [draw.integer(2, 9)]
    batch = draw.integer(4, 30)
    got = _kept(student, expect, widths, batch)
    twice = _kept(student, expect, widths, 2 * batch)
    terms = {name: got["terms"][name] for name in TERMS}
    expect.equal(sum(terms.values()), got["bf16"], what="sum of the terms", unit="B")
    growth = {
        "input_copy": 2,
        "weight_copies": 1,
        "activations": 2,
        "log_probabilities": 2,
        "loss": 1,
    }
    for name, factor in growth.items():
        expect.equal(twice["terms"][name], factor * terms[name], what=f"{name} of twice the batch")
    # only the first width is the input's, and no copy of the first weight is kept
    wider = _kept(student, expect, [widths[0] + 3, *widths[1:]], batch)
    for name in TERMS:
        more = 2 * 3 * batch if name == "input_copy" else 0
        expect.equal(
            wider["terms"][name] - terms[name], more, what=f"what 3 more inputs add to {name}"
        )
    expect.equal(terms["input_copy"], 2 * batch * widths[0], what="input_copy", unit="B")
    expect.equal(
        terms["log_probabilities"], 4 * batch * widths[-1], what="log_probabilities", unit="B"
    )


@check("8.4.i", row="prediction", level="pass")
def test_batch_from_which_autocast_pays(student, draw, expect):
    """The batch at which autocast needs fewer bytes is found, or that there is none."""
    drawn = [[draw.integer(3, 20), draw.integer(40, 60), draw.integer(9, 40), 5] for _ in range(4)]
    # where both need the same at a whole batch, that batch does not pay yet
    equal = [10, 20, 3]
    for widths in (*drawn, equal, [10, 30, 40, 10]):
        got = _kept(student, expect, widths, 7)["break_even"]
        batches = range(1, 301)
        calls = [((widths, batch), {}) for batch in batches]
        answers = values_of(student, expect, "autocast_forward_bytes", calls)
        both = [value for _, value in answers]
        for one in both:
            expect.keys(one, ["fp32", "bf16"], what="the result")
            fine = is_number(one["fp32"]) and is_number(one["bf16"])
            expect.that(fine, "fp32 and bf16 must be numbers of bytes.")
        cheaper = [n for n, one in zip(batches, both, strict=True) if one["bf16"] < one["fp32"]]
        expect.that(bool(cheaper), f"By fp32 and bf16 no batch pays for {widths}, but one must.")
        first = cheaper[0]
        expect.equal(got, first, what=f"break_even of {widths}")
    for widths in ([30, 10, 20, 5], [30, 20, 10, 5], [12, 4]):
        got = _kept(student, expect, widths, 7)["break_even"]
        expect.that(got is None, f"There is no batch at which autocast pays for {widths}.", got)
    cases = {
        "a single width": (([8], 4), {}),
        "a width of 0": (([8, 0, 3], 4), {}),
        "a batch of 0": (([8, 3], 0), {}),
    }
    refusals(
        student,
        expect,
        "autocast_forward_bytes",
        [(f"for {why}", *call) for why, call in cases.items()],
    )
    got = _kept(student, expect, (8, 16, 3), np.int64(4))
    expect.equal(got["fp32"], 4 * 4 * 16 + 4 * 4 * 3 + 8, what="fp32 bytes of a tuple of widths")
