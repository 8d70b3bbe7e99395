"""Self and total times against a brute-force count of every nanosecond."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.instruments import nesting
from grader.instruments.nesting import Row, nest, outside, self_total, top_level_time
from grader.instruments.trace import Event, TraceError


def event(name, start, end, thread="1"):
    return Event(name, "cpu_op", start, end, thread)


def brute(events):
    """Give every nanosecond of a thread to the shortest event that covers it."""
    own, total = {}, {}
    for name in {e.name for e in events}:
        own[name] = total[name] = 0
    for thread in {e.thread for e in events}:
        mine = [e for e in events if e.thread == thread]
        for moment in range(max((e.end for e in mine), default=0)):
            around = [e for e in mine if e.start <= moment < e.end]
            if around:
                inner = min(reversed(around), key=lambda e: e.end - e.start)
                own[inner.name] += 1
                for name in {e.name for e in around}:
                    total[name] += 1
    return own, total


@st.composite
def nested_events(draw, depth=4):
    names = st.sampled_from(["a", "b", "c"])
    events = []

    def fill(start, end, level, thread):
        cursor = start
        while cursor < end and level < depth and draw(st.booleans()):
            begin = draw(st.integers(cursor, end))
            stop = draw(st.integers(begin, end))
            events.append(event(draw(names), begin, stop, thread))
            fill(begin, stop, level + 1, thread)
            cursor = stop

    for thread in ("1", "2"):
        fill(0, 40, 0, thread)
    return draw(st.permutations(events))


@settings(max_examples=150, deadline=None)
@given(nested_events())
def test_self_and_total_times_are_those_of_a_count_of_every_nanosecond(events):
    rows = self_total(events)
    own, total = brute(events)
    assert {name: row.total for name, row in rows.items()} == total
    assert sum(row.self_time for row in rows.values()) == sum(own.values())
    assert sum(row.self_time for row in rows.values()) == top_level_time(events)
    assert sum(row.count for row in rows.values()) == len(events)


def test_self_time_goes_to_the_innermost_event():
    events = [event("root", 0, 100), event("left", 10, 40), event("leaf", 20, 25)]
    assert self_total(events) == {
        "root": Row(1, 70, 100),
        "left": Row(1, 25, 30),
        "leaf": Row(1, 5, 5),
    }


def test_an_event_inside_one_of_its_own_name_is_not_counted_twice():
    assert self_total([event("add", 0, 10), event("add", 2, 6)])["add"] == Row(2, 10, 10)


def test_events_on_another_thread_are_nobodys_children():
    rows = self_total([event("forward", 0, 10), event("backward", 2, 9, "2")])
    assert rows["forward"].self_time == 10
    assert rows["backward"].self_time == 7


def test_an_event_without_duration_is_a_child_of_what_it_lies_in():
    nodes = nest([event("root", 0, 10), event("instant", 5, 5), event("late", 10, 10)])
    parents = {node.event.name: node.parent for node in nodes}
    assert parents == {"root": None, "instant": 0, "late": None}


def test_of_two_equal_events_one_is_the_parent():
    nodes = nest([event("outer", 0, 10), event("inner", 0, 10)])
    assert [node.parent for node in nodes] == [None, 0]
    assert [node.self_time for node in nodes] == [0, 10]


def test_events_that_cross_are_refused():
    with pytest.raises(TraceError, match="'late' begins inside 'early' and ends after it"):
        self_total([event("early", 0, 10), event("late", 5, 15)])


def test_outside_finds_what_no_range_holds():
    inside, before = event("mm", 12, 14), event("mm", 2, 4)
    other_thread, step = event("mm", 12, 14, "2"), event("step", 10, 20)
    events = [inside, before, other_thread, step]
    assert outside(events, "mm", "step") == (before, other_thread)
    assert outside([event("mm", 8, 12), step], "mm", "step")


def test_it_answers_its_known_question_and_notices_a_forged_nesting(monkeypatch):
    assert nesting.answers_known_question()
    monkeypatch.setattr(nesting, "nest", lambda events: ())
    assert not nesting.answers_known_question()
