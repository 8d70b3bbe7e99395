"""The ledger: a hash-chained, append-only file that records the order of seals and measurements.

It proves order on an honest machine, not identity: who can write the file can also write another
one from scratch. In one's own workspace its measurements are believed, though a forged ledger could
hold any; of the work of others the grader believes only what it measured itself. What the chain
does show is any edit, removal or reordering of what is there. Beside it lies ``<name>.head`` with
the number and hash of the last line, so that a shortened file shows too.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from grader.durable import replace_file, sync_folder, write_all
from grader.errors import LedgerError, Problem
from grader.predictions.chain import MEASUREMENT, Chain, LedgerEntry, next_entry, read_chain
from grader.predictions.filelock import locked
from grader.predictions.tomlfile import shown

LEDGER_FILE = ".grade/ledger.jsonl"
"""Where the ledger of a workspace lies, from the workspace's root."""

_LARGEST = 64 << 20


@dataclass(frozen=True, slots=True)
class Ledger:
    """A ledger file; it need not exist yet.

    Attributes:
        path: The file, one JSON object a line.
    """

    path: Path

    @property
    def head_path(self) -> Path:
        """The file that repeats the number and hash of the last line."""
        return self.path.with_name(self.path.name + ".head")

    def read(self) -> Chain:
        """Return what the file holds and what is wrong with it; never raises for its content.

        Raises:
            LedgerError: if the file exists but cannot be read.
        """
        name = shown(self.path)
        if self.path.is_symlink():
            problem = Problem(name, "the ledger is a link, not a file")
            return Chain((), (problem,), is_file=False)
        try:
            raw = _read_bytes(self.path)
            head = _read_bytes(self.head_path)
        except OSError as error:
            raise LedgerError(Problem(name, f"cannot be read: {error.strerror}")) from error
        return read_chain(raw, head, name)

    def entries(self) -> tuple[LedgerEntry, ...]:
        """Return the sound entries from the start of the chain."""
        return self.read().entries

    def problems(self) -> tuple[Problem, ...]:
        """Return what is wrong with the chain; the first broken line is named."""
        return self.read().problems

    def append(
        self,
        kind: str,
        unit_id: str,
        sheet: str,
        content: Mapping[str, Any],
        now: datetime | None = None,
    ) -> LedgerEntry:
        """Add one entry; it is on the disk when this returns.

        Args:
            kind: ``seal`` or ``measurement``.
            unit_id: The unit it is about.
            sheet: Digest of the sheet that is sealed, or under whose seal was measured.
            content: Canonical content of the sheet, or the raw record of the measurement.
            now: Time to write; the clock's if left out.

        Raises:
            LedgerError: if the chain is broken, the content is not plain data, a measurement has no
                seal to be made under, or the disk refuses. Nothing is recorded then.
        """
        name = shown(self.path)
        moment = (now or datetime.now(UTC)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with locked(self.path.with_name(self.path.name + ".lock")):
                chain = self.read()
                if chain.problems:
                    todo = "put back the file as it was; nothing was recorded"
                    raise LedgerError(
                        [*chain.problems, Problem(name, "nothing can be added", todo)]
                    )
                if kind == MEASUREMENT and chain.sheet_in_force(unit_id) != sheet:
                    seen = f"unit {unit_id} has no seal of this sheet to measure under"
                    raise LedgerError(Problem(name, seen, f"grade predict {unit_id}"))
                entry = next_entry(
                    chain.entries,
                    kind=kind,
                    unit_id=unit_id,
                    sheet=sheet,
                    time=moment,
                    content=content,
                )
                _add_line(self.path, entry.line(), chain.sound_bytes)
                replace_file(self.head_path, f"{entry.n} {entry.hash}\n".encode("ascii"))
                return entry
        except OSError as error:
            raise LedgerError(Problem(name, f"cannot be written: {error.strerror}")) from error


def _read_bytes(path: Path) -> bytes:
    """Return the bytes of a regular file, none if there is no file."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(path, flags)
    except FileNotFoundError:
        return b""
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(0, "it is not a regular file")
        if found.st_size > _LARGEST:
            raise OSError(0, f"it is larger than {_LARGEST >> 20} MiB")
        return file.read(_LARGEST)


def _add_line(path: Path, line: bytes, sound: int) -> None:
    """Append one line after the `sound` first bytes, dropping what a crash left half written."""
    is_new = not path.exists()
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(path, flags, 0o644)
    try:
        if os.fstat(descriptor).st_size > sound:
            os.ftruncate(descriptor, sound)
        if sound:
            os.lseek(descriptor, sound - 1, os.SEEK_SET)
            if os.read(descriptor, 1) != b"\n":
                line = b"\n" + line
        try:
            write_all(descriptor, line)
            os.fsync(descriptor)
        except OSError:
            with suppress(OSError):
                os.ftruncate(descriptor, sound)
            raise
    finally:
        os.close(descriptor)
    if is_new:
        sync_folder(path.parent)
