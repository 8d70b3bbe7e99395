"""What a worker prints: the first part kept as text, the rest read and dropped."""

from __future__ import annotations

from grader.sandbox.limits import OUTPUT_CUT, size

PRINTABLE = dict.fromkeys((*range(32), 127), "\N{REPLACEMENT CHARACTER}")
PRINTABLE |= {ord("\n"): "\n", ord("\t"): "\t", ord("\r"): "\n"}


def clean(text: str) -> str:
    """Return text without control characters, which could repaint a terminal."""
    return text.replace("\r\n", "\n").translate(PRINTABLE)


class Output:
    """Text of one call."""

    def __init__(self, most: int) -> None:
        """Keep at most this much [B]."""
        self._most = most
        self._kept = bytearray()
        self._cut = False

    def add(self, data: bytes) -> None:
        """Keep what there is room for."""
        room = self._most - len(self._kept)
        self._kept += data[:room]
        self._cut = self._cut or len(data) > room

    def text(self) -> str:
        """Return what was kept, with a note where it was cut."""
        text = clean(self._kept.decode("utf-8", "replace"))
        return f"{text}\n{OUTPUT_CUT.format(size=size(self._most))}" if self._cut else text
