"""Nest the events of a trace, and split every event's time into its own and its children's.

Integers in nanoseconds, so the sums are exact: self and children make the total, and all self times
make the time of the top-level events.

Blind to: parents on another thread. A backward that runs on a thread of its own (CUDA) is not a
child of the range that called it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grader.instruments.trace import Event, TraceError, named


@dataclass(frozen=True, slots=True)
class Row:
    """One name's share of a trace.

    Attributes:
        count: Events of this name.
        self_time: Time in these events and in none of their children [ns].
        total: Time in these events [ns]; an event inside one of the same name adds nothing.
    """

    count: int
    self_time: int
    total: int


@dataclass(frozen=True, slots=True)
class Node:
    """One event in its place: the event around it, and its own time.

    Attributes:
        event: The event.
        parent: Index of the event around it in the same list, None at the top.
        self_time: Duration less that of its direct children [ns].
    """

    event: Event
    parent: int | None
    self_time: int


def nest(events: Iterable[Event]) -> tuple[Node, ...]:
    """Return every event with its parent and its self time, one thread at a time.

    An event is the child of the innermost event of its thread that has begun and not ended. Of two
    events with the same bounds the one that comes first is the parent. An event without a duration
    belongs to the event it lies in; at the very end of one, it lies outside.

    Raises:
        TraceError: If two events of one thread overlap without one lying in the other.
    """
    ordered = sorted(events, key=lambda event: (event.thread, event.start, -event.end))
    parents: list[int | None] = []
    own = [event.duration for event in ordered]
    open_events: list[int] = []
    for index, event in enumerate(ordered):
        while open_events and not _encloses(ordered[open_events[-1]], event):
            open_events.pop()
        parent = open_events[-1] if open_events else None
        if parent is not None:
            if event.end > ordered[parent].end:
                raise TraceError(
                    f"{event.name!r} begins inside {ordered[parent].name!r} and ends after it"
                )
            own[parent] -= event.duration
        parents.append(parent)
        open_events.append(index)
    return tuple(map(Node, ordered, parents, own))


def self_total(events: Iterable[Event]) -> dict[str, Row]:
    """Return every name's count, self time and total time [ns].

    All self times together equal the duration of the top-level events. Totals do not add up to
    anything: a child's time is in its parent's as well.
    """
    nodes = nest(events)
    rows: dict[str, Row] = {}
    for node in nodes:
        name = node.event.name
        row = rows.get(name, Row(0, 0, 0))
        added = 0 if _has_ancestor(nodes, node, name) else node.event.duration
        rows[name] = Row(row.count + 1, row.self_time + node.self_time, row.total + added)
    return rows


def top_level_time(events: Iterable[Event]) -> int:
    """Return the duration of the events that lie in no other [ns]."""
    return sum(node.event.duration for node in nest(events) if node.parent is None)


def outside(events: Iterable[Event], inner: str, outer: str) -> tuple[Event, ...]:
    """Return the events named `inner` that lie within no event named `outer` of their thread."""
    events = tuple(events)
    ranges = named(events, outer)
    return tuple(
        event
        for event in named(events, inner)
        if not any(
            around.thread == event.thread
            and around.start <= event.start
            and event.end <= around.end
            for around in ranges
        )
    )


def answers_known_question() -> bool:
    """Whether a root of 10 ns with children of 3 and 2 ns has a self time of 5 ns."""
    events = [
        Event("root", "cpu_op", 0, 10, "1"),
        Event("child", "cpu_op", 1, 4, "1"),
        Event("child", "cpu_op", 4, 6, "1"),
        Event("elsewhere", "cpu_op", 2, 9, "2"),
    ]
    rows = {"root": Row(1, 5, 10), "child": Row(2, 5, 5), "elsewhere": Row(1, 7, 7)}
    return self_total(events) == rows


def _encloses(around: Event, event: Event) -> bool:
    """Whether `event`, which comes after `around`, begins within it on the same thread."""
    if event.thread != around.thread:
        return False
    if event.start < around.end:
        return True
    return event.start == around.start == around.end == event.end


def _has_ancestor(nodes: Sequence[Node], node: Node, name: str) -> bool:
    """Whether some event around this one has this name."""
    parent = node.parent
    while parent is not None:
        if nodes[parent].event.name == name:
            return True
        parent = nodes[parent].parent
    return False
