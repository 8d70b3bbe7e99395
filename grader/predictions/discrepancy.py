"""`discrepancy.toml`: what the student says about the gaps between prediction and measurement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.course.unit import SheetField, Unit
from grader.errors import Problem, SheetError
from grader.predictions.advice import nearest, quote
from grader.predictions.quantity import QuantityError
from grader.predictions.sheet import check_words, in_order, read_number
from grader.predictions.tomlfile import TomlFile, read_toml

DISCREPANCY_FILE = "discrepancy.toml"
ROUNDING = "rounding"
"""A term that needs no listing: the digits that the prediction was not written with."""

_MOST_TERMS = 32


@dataclass(frozen=True, slots=True)
class Term:
    """A named cause with its share of a residual.

    Attributes:
        name: One of the field's terms, or `ROUNDING`.
        amount: What must be added to the prediction for it, in the field's unit; its sign may be
            left out.
        text: The amount as the student wrote it.
    """

    name: str
    amount: int | float
    text: str


def term_names(field: SheetField) -> tuple[str, ...]:
    """Return the names that may account for a gap of a field; a band has no digits to round."""
    return (*field.terms, ROUNDING) if field.kind == "exact" else field.terms


@dataclass(frozen=True, slots=True)
class Explanation:
    """What is said about one field: terms with amounts, a sentence, or both."""

    field: str
    terms: tuple[Term, ...] = ()
    because: str = ""


@dataclass(frozen=True, slots=True)
class Discrepancies:
    """What `discrepancy.toml` holds.

    Attributes:
        explanations: What is sound in it, by field; empty when there is no file.
        problems: Everything that is wrong with it, in the order of its lines.
    """

    explanations: Mapping[str, Explanation]
    problems: tuple[Problem, ...] = ()


def read_discrepancies(path: Path, unit: Unit) -> Discrepancies:
    """Read the explanations of a unit's fields; one that is malformed does not spoil the others."""
    if not path.exists() and not path.is_symlink():
        return Discrepancies({})
    try:
        file = read_toml(path)
    except SheetError as error:
        return Discrepancies({}, error.problems)
    reader = _Reader(file, {field.name: field for field in unit.fields})
    explanations = {name: reader.explanation(name) for name in file.data}
    sound = {name: found for name, found in explanations.items() if found is not None}
    return Discrepancies(sound, tuple(in_order(reader.problems)))


class _Reader:
    """Collects problems while turning tables into explanations."""

    def __init__(self, file: TomlFile, fields: Mapping[str, SheetField]) -> None:
        self.file = file
        self.fields = fields
        self.problems: list[Problem] = list(file.problems)

    def complain(self, path: tuple[str | int, ...], seen: str, todo: str = "") -> None:
        self.problems.append(Problem(self.file.place(*path), seen, todo))

    def explanation(self, name: str) -> Explanation | None:
        field = self.fields.get(name)
        if field is None:
            near = nearest(name, self.fields)
            todo = f"did you mean '{near}'?" if near else "remove it"
            self.complain((name,), f"there is no field '{quote(name)}'", todo)
            return None
        table = self.file.data[name]
        if not isinstance(table, dict):
            self.complain(
                (name,), f"'{name}' is not a table", f"write [{name}] on a line of its own"
            )
            return None
        for key in table:
            if key not in ("terms", "because"):
                todo = 'use terms = [...] and because = "..."'
                self.complain((name, key), f"'{name}' has no key '{quote(key)}'", todo)
        return Explanation(
            name, self.terms(field, table.get("terms", [])), self.because(name, table)
        )

    def because(self, name: str, table: Mapping[str, Any]) -> str:
        try:
            return check_words(table.get("because", ""))
        except QuantityError as error:
            self.complain((name, "because"), f"'because' of '{name}': {error}")
            return ""

    def terms(self, field: SheetField, found: Any) -> tuple[Term, ...]:
        path = (field.name, "terms")
        form = f'write terms = [{{ name = "...", amount = "... {field.unit}" }}]'
        if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
            self.complain(path, f"'terms' of '{field.name}' is not a list of tables", form)
            return ()
        if found and field.kind not in ("exact", "band"):
            self.complain(path, f"'{field.name}' is no number, so it has no terms", "use because")
            return ()
        if len(found) > _MOST_TERMS:
            self.complain(
                path, f"'{field.name}' has {len(found)} terms", "name the few that matter"
            )
            return ()
        terms = [self.term(field, item, (*path, i), form) for i, item in enumerate(found)]
        names = [term.name for term in terms if term is not None]
        for name in sorted({name for name in names if names.count(name) > 1}):
            self.complain(path, f"'{name}' is named twice in '{field.name}'", "add the amounts up")
        return tuple(term for term in terms if term is not None)

    def term(
        self, field: SheetField, item: Mapping[str, Any], path: tuple[str | int, ...], form: str
    ) -> Term | None:
        if set(item) != {"name", "amount"} or not isinstance(item["name"], str):
            self.complain(path, f"a term of '{field.name}' is not a name with an amount", form)
            return None
        name = item["name"].strip()
        known = term_names(field)
        if name not in known:
            todo = f"use one of {', '.join(known)}" if known else "it knows none; say why"
            self.complain(path, f"'{field.name}' has no term '{quote(name)}'", todo)
            return None
        try:
            amount = read_number(item["amount"], field.unit)
        except QuantityError as error:
            self.complain(path, f"amount of '{name}': {error}")
            return None
        return Term(name, amount.value, amount.text)
