"""Counts as they come in: what is no count, and NumPy's integers in place of Python's."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grader.checks.expect import Expect
from grader.checks.many import Call, told, values_of
from grader.checks.subject import Subject

NO_COUNTS = (-1, 1.5, 2.0, math.nan, math.inf, True, None, "2")
Place = tuple[int | str, ...]
"""Where a number stands: the number or the name of an argument, then keys into it."""
Refusal = tuple[str, list[Any], dict[str, Any]]


def no_counts(call: Call, places: Mapping[str, Place], least: int = 0) -> list[Refusal]:
    """Return a refusal for each thing that is no count, at each named place of a call that is fine.

    The right number as a float is among them: it is equal to the count, and is none. So are the
    numbers below `least`.
    """
    refusals = []
    for words, (argument, *keys) in places.items():
        right = _at(call, argument, keys)
        odds = [*NO_COUNTS, *range(least)]
        odds += [float(right)] if right != 2 else []
        for odd in odds:
            arguments, named = copy.deepcopy((list(call[0]), dict(call[1])))
            top: Any = named if isinstance(argument, str) else arguments
            path = [argument, *keys]
            for key in path[:-1]:
                top = top[key]
            top[path[-1]] = odd
            refusals.append((f"for {odd!r} as {words}", arguments, named))
    return refusals


def _at(call: Call, argument: int | str, keys: Sequence[int | str]) -> Any:
    """Return what stands at a place of a call."""
    found: Any = call[1][argument] if isinstance(argument, str) else call[0][argument]
    for key in keys:
        found = found[key]
    return found


def values(student: Subject, expect: Expect, function: str, calls: Sequence[Call]) -> list[Any]:
    """Return what some calls gave; none of them may raise."""
    return [value for _, value in values_of(student, expect, function, calls)]


def as_any_integers(
    student: Subject, expect: Expect, function: str, calls: Sequence[Call]
) -> Iterator[tuple[str, list[Any]]]:
    """Yield the same for Python's integers and then, one after another, for NumPy's."""
    yield "integers of Python", values(student, expect, function, calls)
    yield from as_numpy(student, expect, function, calls)


def as_numpy(
    student: Subject, expect: Expect, function: str, calls: Sequence[Call]
) -> Iterator[tuple[str, list[Any]]]:
    """Yield words for a kind of NumPy's integers, and what the same calls gave with them.

    First int64, then for each number the narrowest type that holds it: it overflows in the first
    product unless it is turned into an int.
    """
    narrow = "narrow integers of NumPy (they overflow, unless you make an int of each)"
    for kind, words in (("int64", "integers of NumPy"), ("narrow", narrow)):
        case = {"function": function, "calls": [list(call) for call in calls], "kind": kind}
        seen = student.run("numpy_calls", case)
        for (arguments, named), answer in zip(calls, seen, strict=True):
            raised = answer.get("raised")
            note = f"{told(function, arguments, named)} must not raise for {words}."
            expect.that(not raised, note, raised[0] if raised else None)
        yield words, [answer.get("value") for answer in seen]
