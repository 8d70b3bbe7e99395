"""The blank sheet that a unit's students start from."""

from __future__ import annotations

import textwrap

from grader.course.unit import SheetField, Unit
from grader.predictions.units import FAMILIES

_WIDTH = 96


def blank_sheet(unit: Unit) -> str:
    """Return the text of a blank `prediction.toml` for `unit`, each field with its question."""
    head = (
        f"Predictions for unit {unit.id}, {unit.title}.",
        f"Fill in every field before you measure, then seal the sheet: grade predict {unit.id}",
        "A wrong prediction is fine; a gap that nobody can explain is not.",
    )
    parts = ["\n".join(_comment(line) for line in head)]
    parts += [
        f'{_comment(field.title)}\n{_comment(_how(field))}\n{field.name} = ""'
        for field in unit.fields
    ]
    return "\n\n".join(parts) + "\n"


def _comment(text: str) -> str:
    wrapped = textwrap.wrap(" ".join(text.split()), _WIDTH, break_long_words=False)
    return "\n".join(f"# {line}" for line in wrapped)


def _how(field: SheetField) -> str:
    """Say what may be written in a field and how it is judged."""
    if field.kind == "choice":
        return "One of: " + ", ".join(field.choices)
    if field.kind == "text":
        names = " or ".join(field.terms)
        rest = "with its number, a unit if it has one, and no other number"
        return f"A sentence that names {names}, {rest}."
    units = ", ".join(unit for unit in FAMILIES[field.unit] if unit)
    number = f"A number with a unit ({units})" if units else "A plain number"
    if field.kind == "band":
        return f"{number}, right within {100 * field.band:g} %."
    return f"{number}, exact: write every digit you can derive."
