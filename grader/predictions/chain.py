"""The chain of ledger entries as data: written as lines, read back, and checked link by link."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from grader.errors import LedgerError, Problem
from grader.predictions.sheet import content_digest

SEAL = "seal"
MEASUREMENT = "measurement"
FIRST_LINK = "0" * 64
"""What the first entry names as the hash before it."""

_HEAD = re.compile(rb"([0-9]{1,9}) ([0-9a-f]{64})\n")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One line of the ledger.

    Attributes:
        n: Its number, from 1.
        kind: ``seal`` or ``measurement``.
        unit: Id of the unit.
        sheet: Digest of the sheet that was sealed, or under whose seal was measured.
        time: When, in UTC.
        content: Canonical content of the sheet, or the raw record of the measurement.
        prev: Hash of the entry before.
        hash: SHA-256 of all the rest.
    """

    n: int
    kind: str
    unit: str
    sheet: str
    time: str
    content: Mapping[str, Any]
    prev: str
    hash: str

    def plain(self) -> dict[str, Any]:
        """Return all that the hash covers."""
        return {field.name: getattr(self, field.name) for field in fields(self)[:-1]}

    def line(self) -> bytes:
        """Return the entry as its line of the file, with the newline."""
        return _canonical(self.plain() | {"hash": self.hash}) + b"\n"


@dataclass(frozen=True, slots=True)
class Chain:
    """What a ledger file holds.

    Attributes:
        entries: The sound entries, up to the first broken line.
        problems: What is wrong; empty for a sound chain.
        note: A harmless remark, such as a line that a crash left half written.
        sound_bytes: Length of the part of the file that the entries take [B].
        is_file: Whether the ledger is a file; a link proves nothing.
    """

    entries: tuple[LedgerEntry, ...]
    problems: tuple[Problem, ...] = ()
    note: str = ""
    sound_bytes: int = 0
    is_file: bool = True

    def of(self, unit_id: str, kind: str) -> tuple[LedgerEntry, ...]:
        """Return the entries of one kind about one unit."""
        return tuple(e for e in self.entries if e.unit == unit_id and e.kind == kind)

    def last_seal(self, unit_id: str) -> LedgerEntry | None:
        """Return the newest seal of a unit, None if it has none."""
        seals = self.of(unit_id, SEAL)
        return seals[-1] if seals else None

    def seal_in_force(self, unit_id: str) -> LedgerEntry | None:
        """Return the seal that counts: the last before the unit's first measurement, or the last.

        Sealing many sheets and keeping the one that turns out right must not pay.
        """
        last = None
        for entry in self.entries:
            if entry.unit != unit_id:
                continue
            if entry.kind == MEASUREMENT:
                return last
            last = entry
        return last

    def sheet_in_force(self, unit_id: str) -> str:
        """Return the digest of the sheet whose seal counts; empty when there is none."""
        seal = self.seal_in_force(unit_id)
        return seal.sheet if seal is not None else ""


def next_entry(
    entries: Sequence[LedgerEntry],
    *,
    kind: str,
    unit_id: str,
    sheet: str,
    time: str,
    content: Mapping[str, Any],
) -> LedgerEntry:
    """Return the entry that continues a chain.

    Raises:
        LedgerError: if `content` is not plain JSON data.
    """
    try:
        plain_content = json.loads(_canonical(content))
    except (TypeError, ValueError, RecursionError) as error:
        raise LedgerError(f"the content of a {kind} is not plain data: {error}") from error
    entry = LedgerEntry(
        n=len(entries) + 1,
        kind=kind,
        unit=unit_id,
        sheet=sheet,
        time=time,
        content=plain_content,
        prev=entries[-1].hash if entries else FIRST_LINK,
        hash="",
    )
    return replace(entry, hash=_hash(entry.plain()))


def read_chain(raw: bytes, head: bytes, name: str) -> Chain:
    """Read and check a whole ledger.

    Args:
        raw: Bytes of the ledger.
        head: Bytes of the file that repeats its last number and hash; empty if there is none.
        name: The ledger's name for messages.
    """
    entries: list[LedgerEntry] = []
    problems: list[Problem] = []
    note, sound = "", 0
    lines = raw.split(b"\n")
    for number, line in enumerate(lines, 1):
        is_last = number == len(lines)
        if is_last and not line:
            break
        try:
            entries.append(_read_line(line, entries))
        except ValueError as error:
            if is_last:
                note = f"line {number} is not complete, as after a crash, and does not count"
            else:
                problems.append(Problem(f"{name}:{number}", f"the chain is broken: {error}"))
            break
        sound += len(line) + (not is_last)
        if is_last:
            note = f"line {number} has lost its end of line"
    if not problems:
        problems += _head_problems(entries, head, name)
    return Chain(tuple(entries), tuple(problems), note, sound)


def _read_line(line: bytes, before: Sequence[LedgerEntry]) -> LedgerEntry:
    """Return the entry of one line; raises `ValueError` if it does not continue the chain."""
    try:
        plain = json.loads(line.decode("ascii"), parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise ValueError("this line is not an entry") from None
    names = {field.name for field in fields(LedgerEntry)}
    if not isinstance(plain, dict) or set(plain) != names or _canonical(plain) != line:
        raise ValueError("this line is not as the grader writes it")
    claimed = plain.pop("hash")
    if (
        plain["prev"] != (before[-1].hash if before else FIRST_LINK)
        or plain["n"] != len(before) + 1
    ):
        raise ValueError("it does not follow the line before; a line is missing or moved")
    if claimed != _hash(plain):
        raise ValueError("its content was changed after it was written")
    entry = LedgerEntry(**plain, hash=claimed)
    if not _is_well_formed(entry):
        raise ValueError("it says what no grader writes")
    return entry


def _is_well_formed(entry: LedgerEntry) -> bool:
    """Whether an entry has the right kinds, and a seal the digest of what it sealed."""
    texts = (entry.kind, entry.unit, entry.sheet, entry.time)
    if not isinstance(entry.content, dict) or not all(isinstance(text, str) for text in texts):
        return False
    if not isinstance(entry.n, int) or isinstance(entry.n, bool) or not _TIME.fullmatch(entry.time):
        return False
    if entry.kind == SEAL:
        return content_digest(entry.unit, entry.content) == entry.sheet
    return entry.kind == MEASUREMENT


def _head_problems(entries: Sequence[LedgerEntry], head: bytes, name: str) -> list[Problem]:
    """Compare with the head file, which may lag behind after a crash but never be ahead."""
    if not head:  # a crash between the first line and its head leaves one line without a head
        lost = Problem(f"{name}.head", "is missing, so lines may have been removed")
        return [lost] if len(entries) > 1 else []
    found = _HEAD.fullmatch(head)
    if found is None:
        return [Problem(f"{name}.head", "is not as the grader writes it")]
    number, last = int(found[1]), found[2].decode("ascii")
    if number > len(entries):
        missing = number - len(entries)
        return [Problem(f"{name}:{len(entries) + 1}", f"the last {missing} line(s) were removed")]
    if number < 1 or entries[number - 1].hash != last:
        return [Problem(f"{name}:{max(number, 1)}", "the chain is broken: this line was replaced")]
    return []


def _canonical(plain: Mapping[str, Any]) -> bytes:
    text = json.dumps(
        plain, sort_keys=True, ensure_ascii=True, allow_nan=False, separators=(",", ":")
    )
    return text.encode("ascii")


def _hash(plain: Mapping[str, Any]) -> str:
    return hashlib.sha256(_canonical(plain)).hexdigest()


def _refuse(constant: str) -> None:
    raise ValueError(constant)
