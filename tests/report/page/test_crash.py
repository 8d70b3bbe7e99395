from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.instruments.crash_states import Crash, Moment, timeline
from grader.report.page.crash import crash_story


def test_what_the_instrument_tells_is_read_as_it_was_told() -> None:
    moments = [
        Moment("start", {}, {}, ()),
        Moment("openat", {"tmp": 1}, {1: b""}, ()),
        Moment("write", {"tmp": 1}, {1: b"abc"}, ()),
        Moment("rename", {"run": 1}, {1: b"abc"}, ()),
    ]
    crash = Crash(3, {"run": b""}, (("run", "{} holds 0 of 3 B: it was not synchronised"),))
    story = crash_story(f"It is not safe:\n{timeline(moments, crash, ['run'])}")
    assert story is not None
    assert story.before == "It is not safe:"
    assert [call.said for call in story.calls] == [
        "openat: temporary made (0 B)",
        "write: temporary 0 -> 3 B",
        "rename: temporary -> run",
    ]
    assert (story.kind, story.left) == ("power loss", "run (0 B)")
    assert story.lost == ("run holds 0 of 3 B: it was not synchronised",)


def test_what_is_said_after_it_is_kept() -> None:
    story = crash_story("1. write: x\n-- kill --\nleft: no file\nLook at the lesson.")
    assert story is not None
    assert (story.before, story.after, story.kind) == ("", "Look at the lesson.", "kill")


@pytest.mark.parametrize(
    "message",
    ["", "It is not.", "-- kill --", "1. one\n2. two", "a -- kill -- b\nleft: x", "left: x"],
)
def test_other_messages_tell_of_no_crash(message: str) -> None:
    assert crash_story(message) is None


@given(st.text())
def test_no_text_breaks_it(text: str) -> None:
    crash_story(text)
    crash_story(f"-- {text} --\nleft: {text}")
