"""Run a probe that also tells which settings of the process were left changed.

The driver's side of a unit's probe named ``watched``: its case names another probe, its answer is
``{"value": what that one gave, "changed": names of settings}`` (`grader.instruments.settings`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grader.checks.expect import Expect
from grader.checks.subject import Subject
from grader.sandbox.limits import Limits


def watched(
    student: Subject,
    expect: Expect,
    probe: str,
    case: Mapping[str, Any],
    limits: Limits | None = None,
) -> Any:
    """Run a probe and return what it saw; the process must be left as it was found."""
    seen = student.run("watched", {**case, "probe": probe}, limits)
    expect.equal(seen["changed"], [], what="settings of the process that were left changed")
    return seen["value"]


def refused(
    student: Subject,
    expect: Expect,
    why: str,
    probe: str,
    case: Mapping[str, Any],
    error: str = "ValueError",
) -> None:
    """Expect a probe to end with `error`, raised by the stage."""
    answer = student.attempt(probe, case)
    refused = answer.status == "raised" and answer.error is not None and answer.error.type == error
    seen = answer.error.type if answer.error else "no error"
    expect.that(refused, f"The function must raise {error} {why}.", None if refused else seen)
