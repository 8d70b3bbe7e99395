"""What the checks of amp_step share: a case, the steps that are run for it, and their answers."""

from __future__ import annotations

import math
from typing import Any

from grader.checks.draw import Draw
from grader.checks.expect import Expect
from grader.checks.subject import Subject

from .asked import quietly, value_of

KEYS = ("loss", "norm", "scale", "stepped")
ROUNDING = 0.05
"""Relative error allowed to a gradient that went through float16 or bfloat16.

A chain of about ten operators, each rounding by half of 2**-10 (float16): below 1 %. bfloat16 is
eight times coarser, but sums average its roundings: in 400 cases it was 0.8 % at most. The smallest
mistake looked for is a factor of 2.
"""


def drawn_case(draw: Draw, **more: Any) -> dict[str, Any]:
    """Return a case: SGD of rate 1 on a small regression, one micro-batch, one good step."""
    return {
        "seed": draw.integer(0, 9999),
        "sizes": [16],
        "scaler": {"init_scale": 1024.0},
        "optimizer": ["SGD", {"lr": 1.0}],
        "scheduler": False,
        "max_norm": None,
        "bad": [False],
        "bad_place": 0,
        "bad_value": math.inf,
        **more,
    }


def stepped(student: Subject, expect: Expect, case: dict[str, Any]) -> Any:
    """Run the steps of a case and return what they did and left."""
    return quietly(student, expect, "stepped", case)


def answers(expect: Expect, seen: Any) -> list[Any]:
    """Return the answers of all steps, none of which may have raised."""
    values = [value_of(expect, step, "amp_step") for step in seen["steps"]]
    for value in values:
        expect.keys(value, KEYS, what="the result")
    return values
