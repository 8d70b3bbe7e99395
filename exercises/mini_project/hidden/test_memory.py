"""Hidden checks of the memory table and of what a layer saves."""

from __future__ import annotations

from grader.checks import check

from .project import SOUND

SLACK = 64
"""Bytes that a loss or another scalar, kept or dropped, may make of a difference [B]."""


@check("mini-project.c", row="prediction")
def test_each_phase_has_its_own_peak(student, draw, expect):
    """Live bytes before, at most within and after each phase of a step on your own model."""
    case = {"trainer": SOUND, "seed": draw.integer(0, 1000)}
    seen = student.run("memory", case)
    table = seen["table"]
    expect.keys(table, ("forward", "backward", "update"), what="the table")
    for phase, true in seen["true"].items():
        expect.keys(table[phase], ("before", "peak", "after"), what=f"the row {phase}")
        for key, size in true.items():
            words = f"{key} of {phase}"
            expect.close(table[phase][key], size, atol=SLACK, what=words, unit="B")


@check("mini-project.d", row="prediction", level="strong")
def test_what_a_layer_saves(student, draw, expect):
    """What a layer keeps for the backward under autocast, each storage once."""
    case = {
        "batch": draw.integer(5, 40), "wide": draw.integer(6, 30), "out": draw.integer(31, 60)
    }  # fmt: skip
    for row in student.run("saved_by_layers", case):
        expect.equal(row["seen"], row["true"], what=f"the bytes that {row['name']} saves", unit="B")
