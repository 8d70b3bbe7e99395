"""What the checks of PyTorch functions ask a student's stage, and what they demand of any answer.

An answer is what the probes' `answer_of` gives: ``value``, or ``raised`` (names of the error's
classes) and ``message``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from grader.checks.expect import Expect
from grader.checks.subject import Subject

HALVES = ("float16", "bfloat16")


def quietly(student: Subject, expect: Expect, probe: str, case: Mapping[str, Any]) -> Any:
    """Run a probe and return what it saw.

    The process must be left as it was found, and nothing may warn of autocast or a scaler that is
    off.
    """
    seen = student.run("watched", {**case, "probe": probe})
    changed = ", ".join(map(str, seen["changed"]))
    expect.that(not changed, f"Settings of the process were left changed: {changed}.")
    silent = not seen["warnings"]
    expect.that(silent, "PyTorch warned that autocast or a scaler is off: something else ran.")
    return seen["value"]


def value_of(expect: Expect, answer: Mapping[str, Any], function: str) -> Any:
    """Return the value of an answer, which must not be an error."""
    raised = answer.get("raised")
    told = raised and f"{raised[0]}: {answer.get('message')}"
    expect.that(not raised, f"{function} must not raise here.", told)
    return answer.get("value")


def must_raise(
    expect: Expect, answer: Mapping[str, Any], error: str, why: str, function: str
) -> None:
    """Expect an answer to be `error` or a subclass of it."""
    raised: Sequence[str] = answer.get("raised") or []
    seen = None if error in raised else raised[0] if raised else answer.get("value", "no error")
    expect.that(error in raised, f"{function} must raise {error} {why}.", seen)


def absent_devices(reference: Subject) -> list[str]:
    """Return the types of devices that torch knows and this machine does not have."""
    here = reference.run("machine", {})["accelerator"]
    return [kind for kind in ("cuda", "mps", "xpu") if kind != here]
