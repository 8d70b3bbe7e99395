"""Lines of a report: a lead, then a body that wraps with hanging indentation."""

from __future__ import annotations

import os
from typing import TextIO

from rich.console import Console
from rich.text import Text

_NARROWEST_BODY = 24  # below this the body starts on a line of its own


class PlainConsole(Console):
    """A console that neither interprets text as markup nor ends the program for a closed pipe."""

    def __init__(self, file: TextIO, width: int | None = None) -> None:
        """Write to `file`, in colour only if it is a terminal that wants colour."""
        wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        super().__init__(
            file=file,
            width=width,
            color_system="auto" if wanted else None,
            markup=False,
            emoji=False,
            highlight=False,
            soft_wrap=False,
        )

    def on_broken_pipe(self) -> None:
        """Fall silent: the reader has gone, but the grade and its report go on."""
        self.quiet = True

    def lines(self, lead: Text, body: Text, indent: int) -> None:
        """Print `lead`, then `body`, whose further lines start at column `indent`."""
        for line in wrapped(self, lead, body, indent):
            self.print(line, soft_wrap=True)


def wrapped(console: Console, lead: Text, body: Text, indent: int) -> list[Text]:
    """Return `lead` followed by `body`, whose further lines start at column `indent`.

    Args:
        console: Gives the width [columns].
        lead: What stands before the body on the first line.
        body: Text to wrap; words longer than a line are cut into lines.
        indent: Column at which the body starts.
    """
    indent = max(0, min(indent, console.width - _NARROWEST_BODY))
    room = max(1, console.width - indent)
    pieces = list(body.wrap(console, room, overflow="fold")) if body.plain else []
    lines: list[Text] = []
    if lead.cell_len > indent or not pieces:
        lines.extend([lead] if lead.plain.strip() or not pieces else [])
    else:
        lines.append(lead + Text(" " * (indent - lead.cell_len)) + pieces.pop(0))
    lines.extend(Text(" " * indent) + piece for piece in pieces)
    for line in lines:
        line.rstrip()
    return lines


def flowed(console: Console, items: list[Text], indent: int, gap: int) -> list[Text]:
    """Return `items` side by side, `gap` columns apart, on as many lines as the width needs."""
    lines: list[Text] = []
    for item in items:
        if lines and lines[-1].cell_len + gap + item.cell_len <= console.width:
            lines[-1] = lines[-1] + Text(" " * gap) + item
        else:
            lines.append(Text(" " * indent) + item)
    return lines
