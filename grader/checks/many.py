"""Many calls of one function in one go of a worker, and what each of them gave.

The driver's side of the probe `grader.instruments.calls.calls`, which a unit's probes import.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from grader.checks.expect import Expect
from grader.checks.subject import Subject
from grader.sandbox.limits import Limits

Call = tuple[Sequence[Any], Mapping[str, Any]]
"""Positional and named arguments."""

_SHOWN = 160


def told(function: str, arguments: Sequence[Any], named: Mapping[str, Any]) -> str:
    """Write a call down, short enough for a sentence."""
    words = [repr(value) for value in arguments]
    text = ", ".join(words + [f"{name}={value!r}" for name, value in named.items()])
    return f"{function}({text if len(text) < _SHOWN else text[: _SHOWN - 1] + '…'})"


def answers_of(
    student: Subject,
    expect: Expect,
    function: str,
    cases: Sequence[Call],
    limits: Limits | None = None,
) -> list[dict[str, Any]]:
    """Return what each call gave, ``value`` or ``raised``; none may change its arguments."""
    wanted = [[list(arguments), dict(named)] for arguments, named in cases]
    answers = student.run("calls", {"function": function, "calls": wanted}, limits)
    whole = isinstance(answers, list) and len(answers) == len(cases)
    whole = whole and all(
        isinstance(one, dict) and ("value" in one or "raised" in one) for one in answers
    )
    expect.that(whole, f"{function} did not answer every call.")
    for (arguments, named), answer in zip(cases, answers, strict=True):
        kept = answer.get("kept") is True
        expect.that(kept, f"{told(function, arguments, named)} changed its arguments.")
    return list(answers)


def values_of(
    student: Subject,
    expect: Expect,
    function: str,
    cases: Sequence[Call],
    limits: Limits | None = None,
) -> list[tuple[str, Any]]:
    """Return each call as text and its value; none of them may raise."""
    values = []
    answers = answers_of(student, expect, function, cases, limits)
    for (arguments, named), answer in zip(cases, answers, strict=True):
        words = told(function, arguments, named)
        kinds = answer.get("raised")
        kind = kinds[0] if isinstance(kinds, list) and kinds else "an error"
        raised = "" if "value" in answer else f"{kind}: {answer.get('message')}"
        expect.that(not raised, f"{words} must not raise.", raised or None)
        values.append((words, answer.get("value")))
    return values


def refusals(
    student: Subject,
    expect: Expect,
    function: str,
    cases: Iterable[tuple[str, Sequence[Any], Mapping[str, Any]]],
    error: str = "ValueError",
) -> None:
    """Expect each call ``(why, arguments, named)`` to raise `error` or a subclass of it."""
    cases = list(cases)
    calls = [(arguments, named) for _, arguments, named in cases]
    answers = answers_of(student, expect, function, calls)
    for (why, _, _), answer in zip(cases, answers, strict=True):
        raised = answer.get("raised")
        refused = isinstance(raised, list) and error in raised
        seen = None if refused else raised[:1] if isinstance(raised, list) else answer.get("value")
        expect.that(refused, f"{function} must raise {error} {why}.", seen)


def refused(
    student: Subject,
    expect: Expect,
    why: str,
    function: str,
    *arguments: Any,
    error: str = "ValueError",
) -> None:
    """Expect one call to raise `error` or a subclass of it."""
    refusals(student, expect, function, [(why, arguments, {})], error)


def column(expect: Expect, table: Any, names: Iterable[str], key: str, what: str) -> dict[str, Any]:
    """Return one column of a table, a dict of dicts, after a look at its shape."""
    names = list(names)
    expect.keys(table, names, what=what)
    for name in names:
        expect.keys(table[name], [key], what=f"{what}[{name!r}]")
    return {name: table[name][key] for name in names}


def exact(
    expect: Expect, got: Any, want: Mapping[str, int], words: str, unit: str = "FLOP"
) -> None:
    """Expect a dict of integers without rounding: the exact number, which a float may be."""
    expect.keys(got, list(want), what=words)
    for key, size in want.items():
        expect.close(got[key], size, rtol=1e-12, what=f"{key} of {words}", unit=unit)
        number = got[key].item() if hasattr(got[key], "item") else got[key]
        rounded = f"{key} of {words} is rounded. Stay with Python integers."
        expect.that(number == size, rounded, number)
