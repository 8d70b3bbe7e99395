"""Read an exported chrome trace, and say whether TensorBoard and Perfetto would show it.

Nothing here needs torch. Times are integers in nanoseconds, read from the file's decimal text, so
that self and total times (`nesting`) add up exactly.

Blind to: whatever the profiler did not record (work before it started, Python between operators
unless stacks were on) and the wait inside an operator. Only complete events (``"ph": "X"``) are
read; flow arrows and counters are not.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from os import PathLike
from pathlib import Path
from typing import Any

LARGEST_FILE = 256 << 20
"""A trace above this size [B], unpacked, is refused: it was recorded without a schedule."""

ANNOTATIONS = ("user_annotation", "gpu_user_annotation")
OPERATORS = ("cpu_op",)


class TraceError(ValueError):
    """The file is not a trace; the message says what was found."""


@dataclass(frozen=True, slots=True)
class Event:
    """One complete event of a trace.

    Attributes:
        name: Such as ``"aten::addmm"`` or the name of a `record_function` range.
        category: Such as ``"cpu_op"`` or ``"user_annotation"``.
        start: [ns].
        end: [ns], not before `start`.
        thread: Process and thread, as text.
    """

    name: str
    category: str
    start: int
    end: int
    thread: str

    @property
    def duration(self) -> int:
        """How long it took [ns]."""
        return self.end - self.start


def read_trace(path: str | PathLike[str]) -> tuple[Event, ...]:
    """Return the complete events of a trace file, ``.json`` or ``.json.gz``, by time.

    Raises:
        TraceError: If the file is missing, empty, too large, not JSON, or holds no trace.
    """
    return events_of(load(path))


def load(path: str | PathLike[str]) -> Any:
    """Return the parsed document of a trace file, with decimals kept exact.

    Raises:
        TraceError: If there is no readable JSON of acceptable size.
    """
    file = Path(path)
    try:
        with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as stream:
            text = stream.read(LARGEST_FILE + 1)
    except (OSError, EOFError) as error:
        raise TraceError(f"{file.name}: cannot be read ({error})") from error
    if len(text) > LARGEST_FILE:
        raise TraceError(f"{file.name}: larger than {LARGEST_FILE >> 20} MiB; record fewer steps")
    if not text.strip():
        raise TraceError(f"{file.name}: the file is empty")
    try:
        return json.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError) as error:
        raise TraceError(f"{file.name}: not JSON ({error})") from error


def events_of(document: Any) -> tuple[Event, ...]:
    """Return the complete events of a parsed trace, by start and, if equal, longest first.

    Raises:
        TraceError: If the document is no trace, or an event lacks a field.
    """
    problems = viewer_problems(document)
    if problems:
        raise TraceError(problems[0])
    raw = document if isinstance(document, list) else document["traceEvents"]
    events = []
    for entry in raw:
        if entry["ph"] != "X":
            continue
        start = _nanoseconds(entry["ts"])
        end = start + _nanoseconds(entry["dur"])
        thread = f"{entry['pid']}/{entry['tid']}"
        events.append(Event(str(entry["name"]), str(entry.get("cat", "")), start, end, thread))
    return tuple(sorted(events, key=lambda event: (event.start, -event.end)))


def viewer_problems(document: Any) -> tuple[str, ...]:
    """Return why TensorBoard and Perfetto would not show this document; empty when they would.

    Both read the Trace Event Format: a list of events, or an object whose ``traceEvents`` is one.
    Every event has a phase; a complete one also a name, process, thread, start and duration.
    """
    entries = document.get("traceEvents") if isinstance(document, dict) else document
    if not isinstance(entries, list):
        return ("there is no list of traceEvents",)
    problems = []
    complete = 0
    for index, entry in enumerate(entries):
        problem = _entry_problem(entry)
        if problem:
            problems.append(f"event {index}: {problem}")
        elif entry["ph"] == "X":
            complete += 1
    if not complete and not problems:
        problems.append("the trace holds no event with a duration")
    return tuple(problems)


def named(events: Iterable[Event], *names: str) -> tuple[Event, ...]:
    """Return the events that have one of these names."""
    return tuple(event for event in events if event.name in names)


def user_ranges(events: Iterable[Event]) -> tuple[Event, ...]:
    """Return the `record_function` ranges and the profiler's own step markers."""
    return tuple(event for event in events if event.category in ANNOTATIONS)


def operators(events: Iterable[Event]) -> tuple[Event, ...]:
    """Return the operators that ran on the CPU."""
    return tuple(event for event in events if event.category in OPERATORS)


def host_events(events: Iterable[Event]) -> tuple[Event, ...]:
    """Return ranges and operators, without the profiler's event that spans the whole recording."""
    return tuple(event for event in events if event.category in ANNOTATIONS + OPERATORS)


def counts(events: Iterable[Event]) -> dict[str, int]:
    """Return how many events each name has."""
    return dict(Counter(event.name for event in events))


def answers_known_question() -> bool:
    """Whether a document with one complete event is read as that event."""
    entry = {"ph": "X", "name": "op", "cat": "cpu_op", "pid": 1, "tid": 2, "ts": 1.5, "dur": 0.25}
    document = {"traceEvents": [entry, {"ph": "M", "name": "process_name"}]}
    return events_of(document) == (Event("op", "cpu_op", 1500, 1750, "1/2"),)


def _entry_problem(entry: Any) -> str:
    """Return what is wrong with one entry of a trace, nothing when a viewer takes it."""
    if not isinstance(entry, dict) or not isinstance(entry.get("ph"), str):
        return "not an event with a phase"
    if entry["ph"] != "X":
        return ""
    for field in ("name", "pid", "tid", "ts", "dur"):
        if field not in entry:
            return f"a complete event without {field}"
    for field in ("ts", "dur"):
        value = entry[field]
        number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
        if not number or not Decimal(value).is_finite():
            return f"{field} is {value!r}, not a number of microseconds"
    return "dur is negative" if entry["dur"] < 0 else ""


def _nanoseconds(microseconds: Any) -> int:
    """Return a time of the file, in microseconds, as whole nanoseconds."""
    return round(Decimal(microseconds) * 1000)
