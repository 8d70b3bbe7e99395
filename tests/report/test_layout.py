from __future__ import annotations

import io
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from grader.report.layout import PlainConsole, flowed, wrapped


def console(width: int) -> PlainConsole:
    return PlainConsole(io.StringIO(), width)


words = st.lists(st.text("abcdefgh", min_size=1, max_size=60), max_size=20).map(" ".join)


@given(words, st.integers(30, 120), st.integers(0, 40))
def test_no_line_is_wider_than_the_terminal_and_nothing_is_lost(
    body: str, width: int, indent: int
) -> None:
    lines = [line.plain for line in wrapped(console(width), Text("lead"), Text(body), indent)]
    assert all(len(line) <= width for line in lines)
    assert "".join(" ".join(lines).split()) == "lead" + body.replace(" ", "")


def test_further_lines_hang_below_the_first() -> None:
    lines = wrapped(console(40), Text("  lead"), Text("word " * 14), 10)
    assert lines[0].plain.startswith("  lead    word")
    assert len(lines) > 2
    assert all(line.plain.startswith(" " * 10 + "word") for line in lines[1:])


def test_a_lead_longer_than_the_indent_stands_alone() -> None:
    lines = [line.plain for line in wrapped(console(80), Text("a long lead"), Text("body"), 4)]
    assert lines == ["a long lead", "    body"]


def test_wide_characters_count_twice() -> None:
    lines = wrapped(console(40), Text(), Text("漢" * 30), 10)
    assert [line.cell_len for line in lines] == [40, 40]


def test_items_flow_onto_as_few_lines_as_fit() -> None:
    lines = flowed(console(12), [Text("aaaa"), Text("bbbb"), Text("cccc")], 1, 2)
    assert [line.plain for line in lines] == [" aaaa  bbbb", " cccc"]


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo-terminal")
@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)],
)
def test_colour_is_for_terminals_that_want_it(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], coloured: bool
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    controller, terminal = os.openpty()
    with open(controller, "rb") as reading, open(terminal, "w") as writing:  # noqa: PTH123
        PlainConsole(writing, 80).print(Text("red and bold", style="bold red"))
        writing.flush()
        assert (b"\x1b[" in reading.read1()) == coloured


def test_a_pipe_gets_plain_text() -> None:
    file = io.StringIO()
    PlainConsole(file, 80).print(Text("red", style="bold red"))
    assert file.getvalue() == "red\n"


def test_brackets_and_colons_are_neither_markup_nor_emoji() -> None:
    file = io.StringIO()
    PlainConsole(file, 80).print("[bold]x[/bold] :warning:")
    assert file.getvalue() == "[bold]x[/bold] :warning:\n"


def test_a_closed_pipe_is_no_reason_to_stop() -> None:
    read, write = os.pipe()
    os.close(read)
    file = os.fdopen(write, "w")
    shown = PlainConsole(file, 80)
    shown.print("first")
    shown.print("second")
    assert shown.quiet
    with pytest.raises(BrokenPipeError):
        file.close()
