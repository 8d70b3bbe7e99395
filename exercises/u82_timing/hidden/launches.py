"""What the checks of the timers share: cases of drawn launches and kernels, and what is left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grader.checks.draw import Draw
from grader.checks.expect import Expect
from grader.checks.subject import Subject

US = 1e-6
"""Seconds in a microsecond [s]."""


def case_of(draw: Draw, works: list[list[int]], **more: Any) -> dict[str, Any]:
    """Return a case whose kernels are longer than their launches.

    Args:
        draw: Where chance comes from.
        works: For each call of the function, how long its kernels take [us].
        more: Other keys of the case; ``settings`` are the timer's arguments.
    """
    settings = {"warmup": 3, "repeats": 20, **more.pop("settings", {})}
    return {"launch": draw.integer(3, 9), "sync": draw.integer(2, 9), "works": works,
            "settings": settings, **more}  # fmt: skip


def drawn_works(draw: Draw, calls: int, kernels: int = 3, scale: int = 1) -> list[list[int]]:
    """Return times of kernels for a number of calls [us]."""
    return [[scale * value for value in draw.integers(40, 90, kernels)] for _ in range(calls)]


def nothing_left_changed(
    student: Subject, expect: Expect, probe: str, case: Mapping[str, Any]
) -> None:
    """Time something that ends well and something that raises; settings are as they were.

    In the second run the probe's function raises in its third call, which a timer lets through.
    """
    for fails_at, how in ((None, ""), (3, ", after a function that raised")):
        seen = student.run("watched", {**case, "probe": probe, "fails at": fails_at})
        went_on = seen["raised"] is (fails_at is not None)
        expect.that(went_on, "What the timed function raised did not come out of the timer.")
        what = f"settings of the process that were left changed{how}"
        expect.equal(seen["changed"], [], what=what)
