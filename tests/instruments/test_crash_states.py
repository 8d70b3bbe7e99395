"""What a crash may leave, against sequences whose outcome is known by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.instruments.crash_states import (
    EVERYTHING,
    Moment,
    first_bad,
    kill_states,
    power_loss_states,
    timeline,
)

OLD, NEW = b"old!", b"the new content"
START = Moment("start", {"f": 1}, {1: OLD})
MADE = Moment("openat", {"f": 1, "t": 2}, {1: OLD, 2: b""})
WRITTEN = Moment("write", {"f": 1, "t": 2}, {1: OLD, 2: NEW})
SAFE = Moment("fsync", {"f": 1, "t": 2}, {1: OLD, 2: NEW}, (2,))
MOVED = Moment("rename", {"f": 2}, {2: NEW})
MOVED_SAFE = Moment("fsync", {"f": 2}, {2: NEW}, (2,))
DONE = Moment("fsync", {"f": 2}, {2: NEW}, ("",))

WHOLE = [START, MADE, WRITTEN, SAFE, MOVED, DONE]
NO_FSYNC = [START, MADE, WRITTEN, MOVED, DONE]
LATE_FSYNC = [START, MADE, WRITTEN, MOVED, MOVED_SAFE, DONE]
NO_FOLDER = WHOLE[:-1]
ONTO_THE_NAME = [
    START,
    Moment("openat", {"f": 1}, {1: b""}),
    Moment("write", {"f": 1}, {1: NEW}),
    Moment("fsync", {"f": 1}, {1: NEW}, (1,)),
]
UNLINKED = [*WHOLE[:4], Moment("unlink", {"t": 2}, {2: NEW}), MOVED, DONE]


def held(moments, after=None):
    """Return all contents of ``f`` that a power loss may leave."""
    return {
        crash.folder.get("f")
        for crash in power_loss_states(moments)
        if after is None or crash.after == after
    }


@pytest.mark.parametrize(
    ("moments", "kill", "loss", "returned"),
    [
        (WHOLE, True, True, {NEW}),
        (NO_FSYNC, True, False, None),
        (LATE_FSYNC, True, False, {NEW}),
        (NO_FOLDER, True, True, {OLD, NEW}),
        (ONTO_THE_NAME, False, False, {NEW}),
        (UNLINKED, False, False, {NEW}),
    ],
    ids=["whole", "no fsync", "late fsync", "no folder", "onto the name", "unlinked"],
)
def test_six_ways_to_write_are_told_apart(moments, kill, loss, returned):
    killed = first_bad(kill_states(moments), [OLD, NEW], "f")
    assert (killed is None) is kill
    lost = first_bad(power_loss_states(moments), [OLD, NEW], "f")
    assert (lost is None) is loss
    if returned is not None:
        assert held(moments, len(moments) - 1) == returned


def test_a_content_that_was_not_synchronised_may_be_nothing_a_part_or_zeros():
    states = held(NO_FSYNC, after=3)
    assert states == {OLD, NEW, b"", NEW[: len(NEW) // 2], bytes(len(NEW))}
    # once the folder is safe, the old file cannot come back, and the content still may be torn
    assert held(NO_FSYNC, after=4) == states - {OLD}


def test_appending_keeps_what_was_safe():
    grown = OLD + b"more"
    moments = [START, Moment("write", {"f": 1}, {1: grown})]
    assert held(moments, 1) == {OLD, grown, OLD + b"mo", OLD + bytes(4)}


def test_each_name_is_lost_on_its_own():
    start = Moment("start", {"a": 1}, {1: b"1"})
    saved = Moment("rename", {"a": 1, "b": 2}, {1: b"1", 2: b"2"}, (2,))
    gone = Moment("unlink", {"b": 2}, {2: b"2"})
    found = {tuple(crash.folder) for crash in power_loss_states([start, saved, gone])}
    assert found == {("a",), ("a", "b"), ("b",), ()}
    synced = Moment("fsync", saved.names, saved.files, ("",))
    found = {
        tuple(crash.folder)
        for crash in power_loss_states([start, saved, synced, gone])
        if crash.after == 3
    }
    assert found == {("b",), ("a", "b")}


def test_everything_makes_names_and_contents_safe():
    synced = Moment("sync", {"f": 2}, {2: NEW}, (EVERYTHING,))
    assert held([START, MADE, WRITTEN, MOVED, synced], 4) == {NEW}


def test_a_folder_makes_only_its_own_names_safe():
    start = Moment("start", {"a/f": 1}, {1: OLD})
    moved = Moment("rename", {"a/f": 2}, {2: NEW}, (2,))
    other = Moment("fsync", {"a/f": 2}, {2: NEW}, ("",))
    own = Moment("fsync", {"a/f": 2}, {2: NEW}, ("a",))
    for last, safe in ((other, False), (own, True)):
        states = [c for c in power_loss_states([start, moved, last]) if c.after == 2]
        assert (first_bad(states, [NEW], "a/f") is None) is safe


@st.composite
def sequences(draw):
    """Return moments of two names and up to three files that change at random."""
    moments = [START]
    contents: dict[int, bytes] = {1: OLD}
    names: dict[str, int] = {"f": 1}
    for _ in range(draw(st.integers(1, 6))):
        what = draw(st.sampled_from(["make", "write", "move", "remove", "sync", "folder"]))
        synced: tuple[int | str, ...] = ()
        if what == "make":
            contents[len(contents) + 1] = b""
            names = {**names, "t": len(contents)}
        elif what == "write" and names:
            file = names[draw(st.sampled_from(sorted(names)))]
            contents = {**contents, file: contents[file] + draw(st.binary(min_size=1, max_size=4))}
        elif what == "move" and "t" in names:
            names = {**{name: file for name, file in names.items() if name != "t"}, "f": names["t"]}
        elif what == "remove" and names:
            gone = draw(st.sampled_from(sorted(names)))
            names = {name: file for name, file in names.items() if name != gone}
        elif what == "sync" and names:
            synced = (names[draw(st.sampled_from(sorted(names)))],)
        elif what == "folder":
            synced = ("",)
        files = {file: contents[file] for file in names.values()}
        moments.append(Moment(what, dict(names), files, synced))
    return moments


@given(sequences())
def test_what_a_kill_leaves_a_power_loss_may_leave_too(moments):
    losses = list(power_loss_states(moments))
    for crash in kill_states(moments):
        assert crash.folder in [loss.folder for loss in losses if loss.after == crash.after]


@given(sequences())
def test_more_synchronising_never_adds_a_state(moments):
    files = {file for moment in moments for file in moment.files}
    safe = [Moment(m.call, m.names, m.files, (*m.synced, EVERYTHING, *files)) for m in moments]
    by_moment = [[loss.folder for loss in power_loss_states(m)] for m in (moments, safe)]
    assert all(folder in by_moment[0] for folder in by_moment[1])
    killed = [crash.folder for crash in kill_states(moments)]
    assert len(by_moment[1]) == len(killed)


def test_the_timeline_is_short_and_names_what_was_lost():
    crash = first_bad(power_loss_states(NO_FSYNC), [OLD, NEW], "f")
    assert crash is not None
    assert timeline(NO_FSYNC, crash, ["f"]).splitlines() == [
        "1. openat: temporary made (0 B)",
        "2. write: temporary 0 -> 15 B",
        "3. rename: temporary -> f",
        "-- power loss --",
        "f holds 0 of 15 B: it was not synchronised",
        "left: f (0 B)",
    ]
