"""The figures, the table and the snippet in the lesson of unit 8.7 are what running them gives."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.instruments.crash_states import (
    Moment,
    first_bad,
    kill_states,
    power_loss_states,
    timeline,
)

LESSON = (Path(__file__).resolve().parents[2] / "exercises" / "u87_resume" / "README.md").read_text(
    encoding="utf-8"
)

OLD, NEW = b"o" * 500, b"n" * 6000
NAME = "run.bin"
START = Moment("start", {NAME: 1}, {1: OLD})
MADE = Moment("openat", {NAME: 1, "t": 2}, {1: OLD, 2: b""})
WRITTEN = Moment("write", {NAME: 1, "t": 2}, {1: OLD, 2: NEW})
SAFE = Moment("fsync", {NAME: 1, "t": 2}, {1: OLD, 2: NEW}, (2,))
MOVED = Moment("rename", {NAME: 2}, {2: NEW})
SAFE_AFTER = Moment("fsync", {NAME: 2}, {2: NEW}, (2,))
FOLDER = Moment("fsync", {NAME: 2}, {2: NEW}, ("",))
ONTO = [
    START,
    Moment("openat", {NAME: 1}, {1: b""}),
    Moment("write", {NAME: 1}, {1: NEW}),
]
WAYS = [
    ONTO,
    [START, MADE, WRITTEN, MOVED],
    [START, MADE, WRITTEN, MOVED, SAFE_AFTER],
    [START, MADE, WRITTEN, SAFE, MOVED],
    [START, MADE, WRITTEN, SAFE, MOVED, FOLDER],
]


def test_the_snippet_prints_what_its_comment_says(capsys: pytest.CaptureFixture[str]) -> None:
    (snippet,) = re.findall(r"```python\n(.*?)```", LESSON, re.DOTALL)
    exec(compile(snippet, "README.md", "exec"), {})
    (promised,) = re.findall(r"# (\d+)$", snippet, re.MULTILINE)
    assert capsys.readouterr().out.strip() == promised
    assert f"{int(promised):,}".replace(",", " ") in LESSON


def test_the_table_of_calls_is_what_the_model_gives() -> None:
    table = LESSON.partition("| call | kill | power loss |")[2].partition("\n\n")[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in table.splitlines()
        if line.startswith("| ") and not line.startswith("| ---")
    ]
    assert len(rows) == len(WAYS)
    for (_, kill, loss, returned), moments in zip(rows, WAYS, strict=True):
        losses = list(power_loss_states(moments))
        last = {c.folder.get(NAME) for c in losses if c.after == len(moments) - 1}
        assert (first_bad(kill_states(moments), [OLD, NEW], NAME) is None) is (kill == "whole")
        assert (first_bad(losses, [OLD, NEW], NAME) is None) is (loss == "whole")
        if last - {OLD, NEW}:
            assert returned == "may be torn"
        elif OLD in last:
            assert returned == "whole, but may be the old one"
        else:
            assert returned == "the new one"


def test_the_timeline_is_what_the_model_gives() -> None:
    moments = WAYS[1]
    crash = first_bad(power_loss_states(moments), [OLD, NEW], NAME)
    assert crash is not None
    assert timeline(moments, crash, [NAME]) in LESSON
