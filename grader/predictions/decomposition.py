"""What the measurement of a field must be like, so that its terms can tell causes apart. Pure.

A student names causes after the measurement. If two causes had one size, or two of them made up the
whole, an explanation could be had without knowing the cause.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from grader.course.unit import SheetField
from grader.predictions.gap import TOLERANCE, equal, most_terms, within
from grader.predictions.record import Measured

APART = 2 * TOLERANCE
"""By how much of the larger one any two sizes differ, so that no amount fits both [1]."""

COUNT = 20
"""Plain numbers below this are small counts, whose terms need only differ with their signs."""


def decomposition_faults(field: SheetField, measured: Measured | None) -> Iterator[str]:
    """Yield what is wrong with the measurement of one field.

    Args:
        field: The field.
        measured: What its probe answered; None if it answered nothing that can be read.
    """
    if measured is None:
        yield "its measure answers nothing that can be read"
        return
    if field.kind == "choice":
        yield from _choice_faults(field, measured)
        return
    yield from _name_faults(field.terms, measured)
    yield from (f"'{name}' has size 0" for name, size in measured.terms.items() if size == 0)
    if field.kind == "text":
        yield from _size_faults(measured)
    elif isinstance(measured.value, str):
        yield "its measure gives a word where a number belongs"
    elif measured.value is not None:
        yield from _number_faults(field, measured, measured.value)
    elif field.kind == "exact":
        yield "its measure gives no number"


def _number_faults(field: SheetField, measured: Measured, value: int | float) -> Iterator[str]:
    if value == 0 and field.unit != "1":
        yield "its measurement is 0, which no sheet may predict: ask for a count or a choice"
    if field.unit == "1" and abs(value) < COUNT:
        for (one, size), (other, again) in combinations(measured.terms.items(), 2):
            if equal(size, again):
                yield f"'{one}' and '{other}' have the same size"
        return
    yield from _size_faults(measured)
    is_band = field.kind == "band"
    for number in range(1, most_terms(value, is_band=is_band) + 1):
        for chosen in combinations(measured.terms, number):
            total = sum(measured.terms[name] for name in chosen)
            said = " + ".join(chosen)
            if number > 1 and equal(total, 0):
                yield f"{said} is 0: the two explain nothing together"
            if within(total, value, TOLERANCE) if is_band else equal(total, value):
                yield f"{said} is the whole value: it explains a prediction of nothing"


def _size_faults(measured: Measured) -> Iterator[str]:
    """Yield each pair of terms whose sizes one written amount could fit."""
    for (one, size), (other, again) in combinations(measured.terms.items(), 2):
        a, b = abs(size), abs(again)
        if abs(a - b) <= APART * max(a, b):
            yield f"the sizes of '{one}' and '{other}' differ by less than {100 * APART:g} %"


def _choice_faults(field: SheetField, measured: Measured) -> Iterator[str]:
    """Yield what keeps a wrong choice from being explained with a number."""
    for name in measured.terms:
        if name not in field.choices and name not in field.terms:
            yield f"'{name}' is measured, but is neither a choice nor one of its terms"
    for name in field.terms:
        if not measured.terms.get(name):
            yield f"'{name}' is one of its terms, but no size of it is measured"
    truth = measured.value
    if isinstance(truth, str):
        if truth not in field.choices:
            yield f"its measure gives '{truth}', which is no choice"
        if not any(measured.terms.get(name) for name in (truth, *field.terms)):
            yield f"nothing is measured that an explanation of '{truth}' could repeat"


def _name_faults(names: tuple[str, ...], measured: Measured) -> Iterator[str]:
    for name in sorted(set(names) - set(measured.terms)):
        yield f"'{name}' is one of its terms, but is not measured"
    for name in sorted(set(measured.terms) - set(names)):
        yield f"'{name}' is measured, but is not one of its terms"
    if not names:
        yield "it has no terms: a wrong prediction could not be explained"
