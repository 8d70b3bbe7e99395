"""The record of one measurement: made once from raw answers, kept in the ledger, judged as data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from grader.predictions.chain import MEASUREMENT, Chain
from grader.predictions.series import Series, read_series

Record = Mapping[str, Any]
"""Content of a measurement's ledger entry: ``fields`` by name, seed, versions, machine."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured for one field of the sheet.

    Attributes:
        value: Size in the field's unit, or the name of the measured choice; None if nothing could
            be measured.
        unit: Unit of `value`.
        terms: The decomposition, in the unit of the field. For a number the signed size of each
            cause: what must be added to a prediction that made this mistake alone. For a choice the
            numbers of the choices, or of causes; for a text the number of each cause.
        accepts: Choices the measurement accepts.
        rejects: Choices it rejects; one that is in neither is too close to say.
        note: Remark of the instrument.
        series: What was seen beyond the value, for a chart; None if nothing was.
    """

    value: int | float | str | None
    unit: str = ""
    terms: Mapping[str, int | float] = field(default_factory=dict)
    accepts: tuple[str, ...] = ()
    rejects: tuple[str, ...] = ()
    note: str = ""
    series: Series | None = None


def make_record(
    raw: Mapping[str, Any],
    seed: str,
    versions: Mapping[str, Any],
    machine: Mapping[str, Any],
    beside: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the plain record of a measurement, ready for the ledger.

    Args:
        raw: What the probe of each field answered, by the field's name.
        seed: Seed the probes were given.
        versions: Versions that took part.
        machine: The machine that measured.
        beside: Digests of the student's files that it was measured beside, by name.
    """
    files = {"beside": plain(beside)} if beside else {}
    return files | {
        "fields": plain(raw),
        "seed": seed,
        "versions": plain(versions),
        "machine": plain(machine),
    }


def plain(value: Any) -> Any:
    """Return `value` as JSON data: NumPy scalars as numbers, arrays as lists, NaN as None."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def records_under(
    chain: Chain, unit_id: str, sheet: str, beside: Mapping[str, str] | None = None
) -> tuple[Record, ...]:
    """Return the records that were measured under the seal of one sheet, oldest first.

    The first is the one to judge; a later one speaks only where the earlier was inconclusive, so
    that measuring again until a number fits does not pay.

    Args:
        chain: What the ledger holds.
        unit_id: The unit.
        sheet: Digest of the sheet.
        beside: Digests of the student's files that are measured; a record of others does not count.
    """
    found = chain.of(unit_id, MEASUREMENT)
    return tuple(
        entry.content
        for entry in found
        if sheet and entry.sheet == sheet and entry.content.get("beside", {}) == (beside or {})
    )


def measured_field(record: Record, name: str, unit: str) -> Measured | None:
    """Return what a record says about one field, None if it says nothing."""
    fields = record.get("fields")
    raw = fields.get(name) if isinstance(fields, Mapping) else None
    if not isinstance(raw, Mapping):
        return None
    terms = raw.get("terms")
    value = raw.get("value")
    return Measured(
        value=value if isinstance(value, str) or _is_number(value) else None,
        unit=unit,
        terms={
            str(term): size
            for term, size in (terms.items() if isinstance(terms, Mapping) else ())
            if _is_number(size)
        },
        accepts=_words(raw.get("accepts")),
        rejects=_words(raw.get("rejects")),
        note=str(raw.get("note") or ""),
        series=read_series(raw.get("series")),
    )


def _is_number(value: Any) -> bool:
    """Whether `value` is a finite number; true and false are none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, int) or math.isfinite(value)


def _words(value: Any) -> tuple[str, ...]:
    return tuple(str(word) for word in value) if isinstance(value, list | tuple) else ()
