"""What a probe of the PyTorch stage says of one call: that it went well, or that it was refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grader.checks.expect import Expect


def fine(expect: Expect, answer: Mapping[str, Any], what: str) -> None:
    """Expect that a call raised nothing."""
    raised = answer["raised"]
    expect.that(not raised, f"{what} raised {(raised or [''])[0]}.")


def refused(
    expect: Expect,
    answer: Mapping[str, Any],
    function: str,
    why: str,
    error: str = "ValueError",
) -> None:
    """Expect that a call raised an error or a subclass of it."""
    raised = answer["raised"]
    met = error in raised
    seen = None if met else (raised[0] if raised else answer.get("value", "no error"))
    expect.that(met, f"{function} must raise {error} {why}.", seen)
