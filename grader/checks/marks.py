"""The mark that makes a function a check: its task, its rubric row and its level."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])
_ATTRIBUTE = "__torch_evidence_check__"


@dataclass(frozen=True, slots=True)
class CheckMark:
    """What a check is evidence for.

    Attributes:
        id: ``8.9.a/nested_events``.
        task: ``8.9.a``, or ``8.9.P`` for the prediction sheet.
        row: Rubric row.
        level: ``pass`` or ``strong``.
        title: First line of the check's docstring, which the student reads.
        device: ``cpu``, or ``cuda`` for a check that confirms on a device what others show on a
            model of it.
        person: Whether a person should read what was handed in, when the check is met.
    """

    id: str
    task: str
    row: str
    level: str
    title: str
    device: str = "cpu"
    person: bool = False


def check(
    task: str, *, row: str, level: str = "pass", device: str = "cpu", person: bool = False
) -> Callable[[_Function], _Function]:
    """Mark a test function as a check of `task`, as evidence for `level` of `row`.

    One for ``cuda`` is skipped where there is no such device, and then leaves the row alone. One
    for a `person` looks at words of which a machine can only say that they are there.
    """

    def mark(function: _Function) -> _Function:
        name = function.__name__.removeprefix("test_")
        title = (function.__doc__ or "").strip().partition("\n")[0]
        mark = CheckMark(f"{task}/{name}", task, row, level, title, device, person)
        setattr(function, _ATTRIBUTE, mark)
        return function

    return mark


def mark_of(function: Any) -> CheckMark | None:
    """Return the mark of a function, None if it is not a check."""
    mark = getattr(function, _ATTRIBUTE, None)
    return mark if isinstance(mark, CheckMark) else None
