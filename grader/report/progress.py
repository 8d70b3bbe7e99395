"""One line of progress on stderr, there only while something is being waited for."""

from __future__ import annotations

import contextlib
import shutil
from typing import TextIO

from grader.report.clean import clean

_ERASE = "\r\x1b[2K"


class Progress:
    """Shows what the grader is doing, if `stream` is a terminal; otherwise says nothing."""

    def __init__(self, stream: TextIO) -> None:
        """Write to `stream`, which must be the terminal that the report's lines reach too."""
        self._stream = stream
        self._live = stream.isatty()
        self._shown = False

    def show(self, text: str) -> None:
        """Replace the line by `text`."""
        if self._live:
            room = max(1, shutil.get_terminal_size().columns - 1)
            self._write(f"{_ERASE}{clean(text)[:room]}")
            self._shown = True

    def clear(self) -> None:
        """Take the line away; call this before anything else is printed."""
        if self._shown:
            self._write(_ERASE)
            self._shown = False

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError):  # progress that cannot be shown is no reason to stop
            self._stream.write(text)
            self._stream.flush()
