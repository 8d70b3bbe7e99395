"""Series: what a measurement saw beyond the one number that is judged, for a chart. Never judged.

A probe may answer a `series` beside its value. It is read strictly, since a ledger on a student's
disk can hold anything: what is not exactly one of the three kinds is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from grader.predictions.units import FAMILIES

MOST_ROWS = 24
MOST_VALUES = 1000
LONGEST = 200
"""Characters of a name, a title or a note."""

_LARGEST, _LARGEST_WHOLE = 1e30, 2**60
"""More is no size of anything; whole numbers above the second are told as others are."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One quantity: its middle, and how far it spread, None where it does not spread [unit]."""

    name: str
    middle: int | float
    low: int | float | None = None
    high: int | float | None = None


@dataclass(frozen=True, slots=True)
class Layer:
    """One part of a sum, moment by moment [unit]."""

    name: str
    values: tuple[int | float, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """Something that lasted from `start` to `end` [unit]."""

    name: str
    start: int | float
    end: int | float


@dataclass(frozen=True, slots=True)
class Lane:
    """What one party did, in order."""

    name: str
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of the moments of layers, `moments` of them."""

    name: str
    moments: int


@dataclass(frozen=True, slots=True)
class Bars:
    """Quantities beside each other, such as the phases of a step.

    Attributes:
        title: What is shown.
        unit: A base unit, ``1`` for a plain number.
        note: How it was measured.
        rows: The quantities.
        reference: A value to compare with, such as a ratio of 1; None if there is none [unit].
    """

    title: str
    unit: str
    note: str
    rows: tuple[Bar, ...]
    reference: int | float | None = None


@dataclass(frozen=True, slots=True)
class Layers:
    """A sum over time by its parts, such as memory by category.

    Attributes:
        title: What is shown.
        unit: A base unit.
        note: How it was measured.
        rows: The parts, the lowest first; all have one value for each moment.
        parts: The stretches of time, in order, which make up all moments.
    """

    title: str
    unit: str
    note: str
    rows: tuple[Layer, ...]
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Lanes:
    """Who did what when, such as a host and a device.

    Attributes:
        title: What is shown.
        unit: A base unit.
        note: How it was measured.
        rows: The parties.
    """

    title: str
    unit: str
    note: str
    rows: tuple[Lane, ...]


Series: TypeAlias = Bars | Layers | Lanes


def read_series(raw: Any) -> Series | None:
    """Return what a probe answered as its series, None for anything that is none."""
    try:
        reader = _READERS[raw["kind"]]
        return reader(raw, _words(raw["title"]), _unit(raw["unit"]), _words(raw.get("note", "")))
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def series_data(series: Series) -> dict[str, Any]:
    """Return a series as plain data; `read_series` is the way back."""
    plain: dict[str, Any] = {"title": series.title, "unit": series.unit, "note": series.note}
    match series:
        case Bars():
            rows = [
                {"name": bar.name, "middle": bar.middle, "low": bar.low, "high": bar.high}
                for bar in series.rows
            ]
            return {"kind": "bars", **plain, "rows": rows, "reference": series.reference}
        case Layers():
            layers = [{"name": layer.name, "values": list(layer.values)} for layer in series.rows]
            parts = [{"name": part.name, "moments": part.moments} for part in series.parts]
            return {"kind": "layers", **plain, "rows": layers, "parts": parts}
        case Lanes():
            lanes = [
                {
                    "name": lane.name,
                    "spans": [
                        {"name": span.name, "start": span.start, "end": span.end}
                        for span in lane.spans
                    ],
                }
                for lane in series.rows
            ]
            return {"kind": "lanes", **plain, "rows": lanes}


def _bars(raw: Mapping[str, Any], title: str, unit: str, note: str) -> Bars:
    rows = tuple(
        Bar(
            _words(row["name"]),
            _number(row["middle"]),
            _number_or_none(row.get("low")),
            _number_or_none(row.get("high")),
        )
        for row in _rows(raw["rows"])
    )
    return Bars(title, unit, note, rows, _number_or_none(raw.get("reference")))


def _layers(raw: Mapping[str, Any], title: str, unit: str, note: str) -> Layers:
    rows = tuple(
        Layer(_words(row["name"]), tuple(map(_number, _list(row["values"], MOST_VALUES))))
        for row in _rows(raw["rows"])
    )
    parts = tuple(Part(_words(p["name"]), _count(p["moments"])) for p in _rows(raw["parts"]))
    lengths = {len(row.values) for row in rows} | {sum(part.moments for part in parts)}
    if len(lengths) != 1:
        raise ValueError("the layers have other moments than the parts")
    return Layers(title, unit, note, rows, parts)


def _lanes(raw: Mapping[str, Any], title: str, unit: str, note: str) -> Lanes:
    return Lanes(
        title,
        unit,
        note,
        tuple(
            Lane(_words(row["name"]), tuple(map(_span, _list(row["spans"], MOST_VALUES))))
            for row in _rows(raw["rows"])
        ),
    )


_READERS: Mapping[str, Callable[[Mapping[str, Any], str, str, str], Series]] = {
    "bars": _bars,
    "layers": _layers,
    "lanes": _lanes,
}


def _span(raw: Mapping[str, Any]) -> Span:
    span = Span(_words(raw["name"]), _number(raw["start"]), _number(raw["end"]))
    if span.end < span.start:
        raise ValueError("a span ends before it starts")
    return span


def _rows(raw: Any) -> list[Any]:
    rows = _list(raw, MOST_ROWS)
    if not rows:
        raise ValueError("there is nothing to show")
    return rows


def _list(raw: Any, most: int) -> list[Any]:
    if not isinstance(raw, list | tuple) or len(raw) > most:
        raise ValueError("not a list, or too long")
    return list(raw)


def _words(raw: Any) -> str:
    if not isinstance(raw, str) or len(raw) > LONGEST:
        raise ValueError("not a text, or too long")
    return raw


def _unit(raw: Any) -> str:
    if raw not in FAMILIES:
        raise ValueError("not a base unit")
    return str(raw)


def _number(raw: Any) -> int | float:
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        raise ValueError("not a number")
    if not abs(raw) <= _LARGEST:  # no NaN either
        raise ValueError("not a size of anything")
    return float(raw) if abs(raw) > _LARGEST_WHOLE else raw


def _number_or_none(raw: Any) -> int | float | None:
    return None if raw is None else _number(raw)


def _count(raw: Any) -> int:
    if isinstance(raw, bool) or not isinstance(raw, int) or raw < 1:
        raise ValueError("not a count")
    return raw
