"""Arrays of numbers from a student: their kind and shape are looked at before any value is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from grader.checks.expect import Expect
from grader.checks.many import Call, answers_of
from grader.checks.subject import Subject


def numbers_in(expect: Expect, value: Any, shape: Sequence[int], what: str) -> np.ndarray:
    """Return an answer as a float64 array; it must be numbers of that shape."""
    try:
        got = np.asarray(value)
    except (TypeError, ValueError):
        expect.unmet(f"{what} must be numbers.", got=value)
    if got.dtype.kind not in "iuf" and got.size:
        expect.unmet(f"{what} must be numbers.", got=value)
    expect.equal(list(got.shape), list(shape), what=f"shape of {what}")
    # a NaN that signals is one, too
    with np.errstate(invalid="ignore"):
        return got.astype(np.float64) if got.size else np.zeros(got.shape)


def arrays_of(
    student: Subject, expect: Expect, function: str, calls: Sequence[Call], whats: Sequence[str]
) -> list[np.ndarray]:
    """Return one array for each call; each must have the shape of its call's first argument.

    An argument may be ``{"layout": name, "data": array}`` where the unit's probe makes an array of
    a layout that does not travel; ``"no dimension"`` makes one without dimensions.
    """
    arrays = []
    answers = answers_of(student, expect, function, calls)
    for (arguments, _), answer, what in zip(calls, answers, whats, strict=True):
        raised = answer.get("raised")
        if raised:
            told = f"{raised[0]}: {answer.get('message')}" if isinstance(raised, list) else ""
            expect.unmet(f"{function} must not raise for {what}: {told}")
        shape = _shape(arguments[0])
        arrays.append(numbers_in(expect, answer.get("value"), shape, f"{function} for {what}"))
    return arrays


def _shape(argument: Any) -> tuple[int, ...]:
    if not isinstance(argument, Mapping):
        return np.shape(argument)
    return () if argument["layout"] == "no dimension" else np.shape(argument["data"])


def held(
    expect: Expect, got: np.ndarray, want: np.ndarray, what: str, given: np.ndarray | None = None
) -> None:
    """Compare float64 arrays by value, NaN and the sign of zero included.

    Args:
        expect: The expectations of the check.
        got: What the student has, as `numbers_in` returns it.
        want: The truth, of the same shape.
        what: What is compared, in words.
        given: What each entry was computed from: the first that differs is told.
    """
    nan = np.isnan(want)
    other = (got != want) | (np.signbit(got) != np.signbit(want))
    wrong = (np.isnan(got) != nan) | (~nan & other)
    if not wrong.any():
        return
    place = np.flatnonzero(wrong.reshape(-1))[0]
    share = f"{int(wrong.sum())} of {wrong.size} differ; the first of them"
    if given is not None:
        share += f", of {given.reshape(-1)[place].item()!r}"
    first, true = float(got.reshape(-1)[place]), float(want.reshape(-1)[place])
    expect.equal(first, true, what=f"{what} ({share})")
    expect.unmet(f"{what}: the sign of zero is not kept.")
