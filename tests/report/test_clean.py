from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader.report.clean import clean, clean_lines


@given(st.text(alphabet=st.characters(codec=None)))
@example("\x1b\x1b[31m[32m")
@example("\x9b31m")
@example("\x1b]0;title\x07")
@example("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\")
@example("\u202egnp.exe")
@example("\ud800")
def test_nothing_that_acts_on_a_terminal_survives(text: str) -> None:
    for shown in (clean(text), *clean_lines(text)):
        assert not {unicodedata.category(c) for c in shown} & {"Cc", "Cf", "Cs", "Zl", "Zp"}


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "S"])))
def test_ordinary_text_is_left_as_it_is(text: str) -> None:
    kept = text.replace("\ufffd", "")  # stands for a lost escape, see below
    assert clean(kept) == kept


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\ufffd[31mred\ufffd[0m", "red"),
        ("\x1b]0;owned\x07prompt", "prompt"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("[bold]not markup[/bold]", "[bold]not markup[/bold]"),
        ("a\tb", "a    b"),
        ("a\x00b", "ab"),
    ],
)
def test_sequences_vanish_whole(text: str, shown: str) -> None:
    assert clean(text) == shown


def test_every_kind_of_line_end_ends_a_line() -> None:
    assert clean_lines("a\nb\r\nc\rd\u2028e\x0bf") == ["a", "b", "c", "d", "e", "f"]
