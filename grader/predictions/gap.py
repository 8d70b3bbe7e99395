"""A wrong number, and whether the causes that are named for it make up for the gap. Pure.

One rule: the prediction, corrected by the named causes, must be the measurement. Each cause has a
measured size with a sign: what must be added to a prediction that made this mistake alone. Who
names a cause writes its size too, within 2 %. One cause may be named for a band or a small count,
which could be put together from anything, and two for another exact number.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from grader.predictions.discrepancy import DISCREPANCY_FILE, ROUNDING, Term
from grader.predictions.quantity import Quantity

TOLERANCE = 0.02
"""Relative tolerance for a written amount, and for a corrected prediction with a band [1]."""

FEWEST_DIGITS_TO_ROUND = 3
"""Digits a prediction must have for rounding to be one of its causes."""

SMALL = 1000
"""Whole numbers below this allow one cause: pairs of small numbers add up to most others."""

_FLOAT_NOISE = 1e-9


@dataclass(frozen=True, slots=True)
class JudgedTerm:
    """One term of an explanation: `believed` or not, and `message` says why not.

    Attributes:
        name: Name of the cause.
        amount: Its amount as the student wrote it.
        believed: Whether the measurement has this cause with this size.
        message: Why it is not believed; empty when it is.
        size: The measured size with its sign if it is believed, else None: it would tell what to
            write [unit of the field].
    """

    name: str
    amount: str
    believed: bool
    message: str = ""
    size: int | float | None = None


def judge_gap(
    value: int | float,
    predicted: Quantity,
    sizes: Mapping[str, int | float],
    terms: tuple[Term, ...],
    *,
    is_band: bool = False,
) -> tuple[str, tuple[JudgedTerm, ...]]:
    """Return what is wrong with an explanation, empty if it holds, and the judgement of each term.

    Args:
        value: What was measured, in the field's unit.
        predicted: The prediction, and how it was written, which decides what may be rounding.
        sizes: The measured sizes of the causes, signed: predicted + size == measured.
        terms: What the student names.
        is_band: Whether the corrected prediction needs to meet `value` within 2 % alone.
    """
    most = most_terms(value, is_band=is_band)
    if not terms:
        return f"name its terms in {DISCREPANCY_FILE}", ()
    if len({term.name for term in terms}) < len(terms):
        return "name each term once", ()
    if len(terms) > most:
        return f"name at most {('one term', 'two terms')[most - 1]}: those that matter", ()
    named = [term.name for term in terms]
    corrected = predicted.value + sum(sizes.get(name, 0) for name in named if name != ROUNDING)
    if ROUNDING in named and _is_rounding(value - corrected, predicted):
        sizes = {**sizes, ROUNDING: value - corrected}
        corrected = value
    judged = tuple(_judge_term(term, sizes) for term in terms)
    doubted = [term.name for term in judged if not term.believed]
    if doubted:
        return f"not believed: {', '.join(doubted)}", judged
    if not (within(corrected, value, TOLERANCE) if is_band else equal(corrected, value)):
        return "the prediction with the named terms added is not what was measured", judged
    return "", judged


def most_terms(value: int | float, *, is_band: bool = False) -> int:
    """Return how many causes may be named for a field of which this was measured."""
    return 1 if is_band or (isinstance(value, int) and abs(value) < SMALL) else 2


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
        why = f"what is left is not what rounding to {FEWEST_DIGITS_TO_ROUND} or more digits leaves"
    elif not size:
        why = "it is no part of what was measured"
    elif not within(abs(term.amount), abs(size), TOLERANCE):
        why = "its measured size is another"
    elif _written_sign(term) * size < 0:
        why = "its sign is the other one: it is what must be added to the prediction"
    else:
        return JudgedTerm(term.name, term.text, believed=True, size=size)
    return JudgedTerm(term.name, term.text, believed=False, message=why)


def _written_sign(term: Term) -> int:
    """Return the sign that the student wrote, 0 if it was left out."""
    if term.amount < 0:
        return -1
    return 1 if term.text.startswith("+") else 0


def _is_rounding(rest: int | float, predicted: Quantity) -> bool:
    """Whether what is left is no more than the digits can be that were not written."""
    return predicted.digits >= FEWEST_DIGITS_TO_ROUND and abs(rest) <= predicted.half_digit
