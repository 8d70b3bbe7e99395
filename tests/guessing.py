"""Whoever guesses a sheet and then tries every explanation that the measurement would allow."""

from __future__ import annotations

import random
from collections.abc import Iterator
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
        quantity = parse(f"{text} {field.unit if field.unit != '1' else ''}", field.unit)
        entry = Entry(quantity.value, quantity.text, 1, quantity)
        if judge(field, entry, measured).state in _RIGHT:
            continue
        wrong += 1
        explained += any(
            judge(field, entry, measured, told).state == State.EXPLAINED
            for told in _explanations(field, measured, quantity.value)
        )
    return explained / max(1, wrong)


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
