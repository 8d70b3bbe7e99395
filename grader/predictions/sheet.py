"""The prediction sheet: read strictly, with every problem at once, and reduced to a digest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.course.unit import SheetField, Unit
from grader.errors import Problem, SheetError
from grader.predictions.advice import nearest, quote
from grader.predictions.quantity import Quantity, QuantityError, parse, parse_number
from grader.predictions.sentence import fault_in_form
from grader.predictions.tomlfile import TomlFile, read_toml
from grader.predictions.units import EXAMPLES

SHEET_FILE = "prediction.toml"


@dataclass(frozen=True, slots=True)
class Entry:
    """What the sheet says for one field.

    Attributes:
        value: Size in the field's unit, or the choice or text.
        text: As the student wrote it.
        line: Line of the file.
        quantity: How the number was written; None for choices and text.
    """

    value: int | float | str
    text: str
    line: int
    quantity: Quantity | None = None

    @property
    def canonical(self) -> str:
        """The same for every spelling of the same prediction to as many digits."""
        return self.text if self.quantity is None else self.quantity.canonical


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet without problems.

    Attributes:
        unit_id: The unit it predicts for.
        entries: The fields that are filled in, by name, in the unit's order.
        raw: The very bytes that were read.
    """

    unit_id: str
    entries: Mapping[str, Entry]
    raw: bytes = b""

    @property
    def content(self) -> dict[str, str]:
        """The canonical content: what a seal records of each field."""
        return {name: entry.canonical for name, entry in self.entries.items()}

    @property
    def digest(self) -> str:
        """SHA-256 of the canonical content; comments, order and white space do not matter."""
        return content_digest(self.unit_id, self.content)


def content_digest(unit_id: str, content: Mapping[str, str]) -> str:
    """Return the SHA-256 of a sheet's canonical content, in hexadecimal.

    The digests of files that a seal records beside the fields are no part of the sheet.
    """
    fields = {name: value for name, value in content.items() if not is_file_name(name)}
    plain = {"unit": unit_id, "content": fields}
    text = json.dumps(plain, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def is_file_name(name: str) -> bool:
    """Whether a name in a seal is that of a file; no field has a dot in its name."""
    return "." in name


def read_sheet(path: Path, unit: Unit, *, complete: bool = False) -> Sheet:
    """Read the prediction sheet of `unit`.

    Args:
        path: The file, `prediction.toml`.
        unit: The unit whose fields it must have.
        complete: Whether blank and missing fields are problems, as they are when sealing, and
            texts that could not be right whatever is measured.

    Raises:
        SheetError: with every problem of the file, in the order of its lines.
    """
    file = read_toml(path)
    problems = list(file.problems)
    fields = {field.name: field for field in unit.fields}
    for name in file.data:
        if name not in fields:
            problems.append(_unknown(name, fields, file))
    entries: dict[str, Entry] = {}
    for field in unit.fields:
        if field.name in file.data:
            try:
                entry = _entry(field, file.data[field.name], file.line(field.name))
            except QuantityError as error:
                problems.append(Problem(file.place(field.name), f"'{field.name}': {error}"))
                continue
            if entry is not None:
                entries[field.name] = entry
                fault = fault_in_form(entry.text, field.terms) if field.kind == "text" else ""
                if complete and fault and field.terms:
                    problems.append(Problem(file.place(field.name), f"'{field.name}': {fault}"))
            elif complete:
                seen = f"'{field.name}' is blank"
                problems.append(Problem(file.place(field.name), seen, f"write {_example(field)}"))
        elif complete and not file.line(field.name):
            seen = f"'{field.name}' is missing"
            todo = f"add the line {field.name} = {_example(field)}"
            problems.append(Problem(file.name, seen, todo))
    if problems:
        raise SheetError(in_order(problems))
    return Sheet(unit.id, entries, file.raw)


def blank_fields(sheet: Sheet, unit: Unit) -> tuple[SheetField, ...]:
    """Return the fields that are still to be filled in."""
    return tuple(field for field in unit.fields if field.name not in sheet.entries)


def check_words(value: Any) -> str:
    """Return `value` as a text that can be shown to a person, outer white space left out.

    Raises:
        QuantityError: if it is not a text, or holds characters that steer a terminal.
    """
    if not isinstance(value, str):
        raise QuantityError(f"write a text in quotes, not {_kind(value)}")
    for character in value:
        if not character.isprintable() and character not in "\n\t":
            raise QuantityError(f"the character U+{ord(character):04X} does not belong in a text")
    return value.strip()


def read_number(value: Any, unit: str) -> Quantity:
    """Read a quantity from a TOML value: a text with a unit, or a bare number for a count.

    Raises:
        QuantityError: with what was seen and what to write instead.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise QuantityError(f"write {EXAMPLES[unit]}, not {_kind(value)}")
    return parse(value, unit) if isinstance(value, str) else parse_number(value, unit)


def in_order(problems: Iterable[Problem]) -> list[Problem]:
    """Sort problems of one file by line; those without a line come last."""

    def line(problem: Problem) -> float:
        number = problem.where.rpartition(":")[2]
        return int(number) if number.isdecimal() else float("inf")

    return sorted(problems, key=line)


def _entry(field: SheetField, value: Any, line: int) -> Entry | None:
    """Return the entry of one field, None while it is blank."""
    if isinstance(value, str) and not value.strip():
        return None
    if field.kind in ("exact", "band"):
        quantity = read_number(value, field.unit)
        if quantity.value < 0 and field.unit != "1":
            raise QuantityError(f"{quantity.text} is negative, which cannot be measured")
        if quantity.value == 0 and field.unit != "1":
            raise QuantityError("0 predicts nothing: write a size")
        return Entry(quantity.value, quantity.text, line, quantity)
    words = check_words(value)
    if field.kind == "choice" and words not in field.choices:
        near = nearest(words, field.choices)
        guess = f", did you mean {near}?" if near else ""
        choices = ", ".join(field.choices)
        raise QuantityError(f"'{quote(words)}' is not one of {choices}{guess}")
    return Entry(words, words, line)


def _unknown(name: str, fields: Mapping[str, SheetField], file: TomlFile) -> Problem:
    near = nearest(name, fields)
    todo = f"did you mean '{near}'?" if near else "remove it, or see the blank sheet of the unit"
    return Problem(file.place(name), f"there is no field '{quote(name)}'", todo)


def _example(field: SheetField) -> str:
    if field.kind == "choice":
        return "one of " + ", ".join(f'"{choice}"' for choice in field.choices)
    return "a sentence in quotes" if field.kind == "text" else EXAMPLES[field.unit]


def _kind(value: Any) -> str:
    kinds = {bool: "true or false", int: "a number", float: "a number", str: "a text"}
    kinds |= {list: "a list", dict: "a table"}
    return kinds.get(type(value), "a date")
