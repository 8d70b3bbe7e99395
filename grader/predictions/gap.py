"""A gap between two numbers, and whether the named terms account for it. Pure.

A term is believed when the measured decomposition has it with that size within 2 %; the gap is
explained when all terms are believed and their measured sizes add up to it within 2 %. Naming every
term there is therefore fails as surely as naming none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from grader.predictions.discrepancy import DISCREPANCY_FILE, ROUNDING, Term
from grader.predictions.quantity import Quantity

TOLERANCE = 0.02
"""Relative tolerance for a term's size and for the sum of all terms [1]."""

_FEWEST_DIGITS_TO_ROUND = 3
_FLOAT_NOISE = 1e-9


@dataclass(frozen=True, slots=True)
class JudgedTerm:
    """One term of an explanation: `believed` or not, and `message` says why not."""

    name: str
    amount: str
    believed: bool
    message: str = ""


def judge_gap(
    gap: int | float,
    predicted: Quantity | None,
    sizes: Mapping[str, int | float],
    terms: tuple[Term, ...],
) -> tuple[str, tuple[JudgedTerm, ...]]:
    """Return what is wrong with an explanation, empty if it holds, and the judgement of each term.

    Args:
        gap: Measured minus predicted, in the field's unit.
        predicted: How the prediction was written, which decides what may be rounding.
        sizes: The measured decomposition.
        terms: What the student names. When the gap is negative and no amount has a sign, the
            amounts are taken to be missing from the measurement.
    """
    if not terms:
        return f"name its terms in {DISCREPANCY_FILE}", ()
    if _is_rounding(gap, predicted):
        sizes = {**sizes, ROUNDING: gap}
    judged = tuple(_judge_term(term, sizes) for term in terms)
    doubted = [term.name for term in judged if not term.believed]
    if doubted:
        return f"not believed: {', '.join(doubted)}", judged
    flip = gap < 0 and all(term.amount >= 0 for term in terms)
    total = sum(_signed_size(term, sizes, flip=flip) for term in terms)
    if not within(total, gap, TOLERANCE):
        return "the named terms do not add up to the gap within 2 %", judged
    return "", judged


def within(value: int | float, truth: int | float, tolerance: float) -> bool:
    """Whether `value` is within a relative tolerance of `truth`, the edge included."""
    return abs(value - truth) <= tolerance * abs(truth) * (1 + _FLOAT_NOISE)


def equal(a: int | float, b: int | float) -> bool:
    """Whether two sizes are the same: whole numbers exactly, others but for rounding noise."""
    if isinstance(a, int) and isinstance(b, int):
        return a == b
    return math.isclose(a, b, rel_tol=_FLOAT_NOISE)


def _judge_term(term: Term, sizes: Mapping[str, int | float]) -> JudgedTerm:
    size = sizes.get(term.name)
    if size is None and term.name == ROUNDING:
        why = f"the gap is not what rounding to {_FEWEST_DIGITS_TO_ROUND} or more digits leaves"
    elif not size:
        why = "it is no part of what was measured"
    elif not within(abs(term.amount), abs(size), TOLERANCE):
        why = "its measured size is another"
    else:
        return JudgedTerm(term.name, term.text, believed=True)
    return JudgedTerm(term.name, term.text, believed=False, message=why)


def _signed_size(term: Term, sizes: Mapping[str, int | float], *, flip: bool) -> int | float:
    """Return the measured size of a believed term with the sign the student gave it."""
    size = abs(sizes[term.name])
    return -size if (term.amount < 0) != flip else size


def _is_rounding(gap: int | float, predicted: Quantity | None) -> bool:
    """Whether the measurement agrees with every digit that was written, and there are enough."""
    if predicted is None or predicted.digits < _FEWEST_DIGITS_TO_ROUND:
        return False
    return abs(gap) <= predicted.half_digit
