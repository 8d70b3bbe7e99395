"""Whoever guesses a sheet and then tries every explanation that the measurement would allow."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from itertools import combinations

from grader.course.unit import SheetField
from grader.predictions.discrepancy import Explanation, Term, term_names
from grader.predictions.quantity import parse
from grader.predictions.record import Measured
from grader.predictions.residual import State, judge
from grader.predictions.sheet import Entry

SHEETS = 200
_RIGHT = (State.EXACT, State.WITHIN_BAND)


def guesses(measured: Measured, digits: int | None, seed: int = 0) -> list[str]:
    """Return numbers within a factor of 10 of what was measured, written with so many digits.

    All digits of a whole number are written if `digits` is None.
    """
    draw = random.Random(seed)
    assert isinstance(measured.value, int | float)
    numbers = [measured.value * 10 ** draw.uniform(-1, 1) for _ in range(SHEETS)]
    return [f"{max(1, round(n))}" if digits is None else f"{n:.{digits - 1}e}" for n in numbers]


def share_explained(field: SheetField, measured: Measured, predictions: list[str]) -> float:
    """Return the share of wrong predictions for which some explanation holds [1].

    Every set of one and of two names is tried, with the measured sizes as amounts, and for rounding
    with what the other term leaves.
    """
    wrong = explained = 0
    for text in predictions:
        if _is_right(field, measured, text):
            continue
        wrong += 1
        explained += _is_explained(field, measured, text)
    return explained / max(1, wrong)


def fields_met(counts: Mapping[SheetField, Measured], constant: int) -> list[str]:
    """Return the fields in which one and the same number is right, or can be explained."""
    return [
        field.name
        for field, measured in counts.items()
        if _is_right(field, measured, f"{constant}")
        or _is_explained(field, measured, f"{constant}")
    ]


def _entry(field: SheetField, text: str) -> Entry:
    quantity = parse(f"{text} {field.unit if field.unit != '1' else ''}", field.unit)
    return Entry(quantity.value, quantity.text, 1, quantity)


def _is_right(field: SheetField, measured: Measured, text: str) -> bool:
    return judge(field, _entry(field, text), measured).state in _RIGHT


def _is_explained(field: SheetField, measured: Measured, text: str) -> bool:
    """Whether some set of names explains a wrong prediction."""
    entry = _entry(field, text)
    assert isinstance(entry.value, int | float)
    return any(
        judge(field, entry, measured, told).state == State.EXPLAINED
        for told in _explanations(field, measured, entry.value)
    )


def _explanations(
    field: SheetField, measured: Measured, predicted: int | float
) -> Iterator[Explanation]:
    assert isinstance(measured.value, int | float)
    names = term_names(field)
    for chosen in (*combinations(names, 1), *combinations(names, 2)):
        sizes = {name: measured.terms[name] for name in chosen if name in measured.terms}
        rest = measured.value - predicted - sum(sizes.values())
        amounts = [sizes.get(name, rest) for name in chosen]
        terms = zip(chosen, amounts, strict=True)
        yield Explanation(field.name, tuple(Term(name, n, f"{n}") for name, n in terms))
