"""The story of a crash in a check's message: the calls, the crash, what it leaves. Pure.

`grader.instruments.crash_states.timeline` writes it, a line each, into the message.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.report.clean import clean_lines

_CALL = re.compile(r"(?:(?P<number>[0-9]{1,9})\. (?P<said>\S.*)|\s*\.\.\.)")
_CRASH = re.compile(r"-- (?P<kind>.+) --")
_LEFT = "left: "


@dataclass(frozen=True, slots=True)
class Call:
    """A call before the crash: its number, and what it did; number 0 stands for some left out."""

    number: int
    said: str


@dataclass(frozen=True, slots=True)
class CrashStory:
    """A crash as a check tells it.

    Attributes:
        before: What the message says first.
        calls: The calls up to the crash, in order.
        kind: What crashed, such as ``power loss``.
        lost: What was lost, as sentences.
        left: What is left.
        after: What the message says last.
    """

    before: str
    calls: tuple[Call, ...]
    kind: str
    lost: tuple[str, ...]
    left: str
    after: str


def crash_story(message: str) -> CrashStory | None:
    """Return the crash that a message tells of, None if it tells of none."""
    lines = clean_lines(message)
    marks = [index for index, line in enumerate(lines) if _CRASH.fullmatch(line)]
    if not marks:
        return None
    crash = marks[0]
    begin = crash
    while begin > 0 and _CALL.fullmatch(lines[begin - 1]):
        begin -= 1
    ends = [i for i in range(crash + 1, len(lines)) if lines[i].startswith(_LEFT)]
    if not ends:
        return None
    end = ends[0]
    kind = _CRASH.fullmatch(lines[crash])
    return CrashStory(
        before=" ".join(lines[:begin]),
        calls=tuple(map(_call, lines[begin:crash])),
        kind=kind["kind"] if kind else "",
        lost=tuple(lines[crash + 1 : end]),
        left=lines[end].removeprefix(_LEFT),
        after=" ".join(lines[end + 1 :]),
    )


def _call(line: str) -> Call:
    match = _CALL.fullmatch(line)
    if match is None or match["number"] is None:
        return Call(0, "some calls are left out")
    return Call(int(match["number"]), match["said"])
