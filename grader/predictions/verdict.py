"""The verdict on a seal: was this sheet fixed before its quantities were measured? Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from grader.predictions.chain import MEASUREMENT, SEAL, Chain, LedgerEntry
from grader.predictions.sheet import SHEET_FILE, is_file_name


class SealWord(StrEnum):
    """What the ledger says about a sheet."""

    SEALED = "sealed"
    NOT_SEALED = "not sealed"
    LATE = "late"
    CHANGED = "changed"
    FORGED = "forged"
    NOT_A_FILE = "not a file"


@dataclass(frozen=True, slots=True)
class SealVerdict:
    """The verdict with its times.

    Attributes:
        word: One of six words.
        message: The verdict as a sentence, with what to do.
        sheet: Digest of the sheet whose seal counts; empty when there is none.
        sealed_at: When the seal that counts was made, in UTC.
        measured_at: When the unit was first measured, in UTC.
        seals: How many seals the unit has.
        rewritten: Fields that differ from one seal to the next, in the ledger's order; a person
            may ask what was looked at in between.
    """

    word: SealWord
    message: str
    sheet: str = ""
    sealed_at: str | None = None
    measured_at: str | None = None
    seals: int = 0
    rewritten: tuple[str, ...] = ()


def verdict(
    chain: Chain,
    unit_id: str,
    sheet_digest: str | None,
    *,
    is_file: bool = True,
    beside: Mapping[str, str] | None = None,
    folder: str = "",
) -> SealVerdict:
    """Say whether a sheet was sealed before the measurement.

    The seal that counts is the last before the unit's first measurement. A sheet that differs from
    it was changed; if it has a seal of its own after the measurement, that one came too late.

    Args:
        chain: What the ledger holds.
        unit_id: The unit.
        sheet_digest: Digest of the sheet as it is now; None if there is none that can be read.
        is_file: Whether the sheet is a file; a link can show another sheet tomorrow.
        beside: Digests of the files that the sheet is about, by name, as they are now.
        folder: Folder of the unit in the work, for advice that names the sheet.
    """
    if not is_file or not chain.is_file:
        what = "the ledger" if is_file else "the sheet"
        return SealVerdict(SealWord.NOT_A_FILE, f"{what} is a link; put the file itself there")
    if chain.problems:
        return SealVerdict(SealWord.FORGED, f"the ledger was edited: {chain.problems[0]}")
    seal = chain.seal_in_force(unit_id)
    measurements = chain.of(unit_id, MEASUREMENT)
    measured_at = measurements[0].time if measurements else None
    place = f"{folder}/{SHEET_FILE}" if folder else SHEET_FILE
    word, message = _word(chain, unit_id, sheet_digest, place)
    if word == SealWord.SEALED and seal is not None and (changed := _changed(seal, beside or {})):
        todo = "put back what was there then"
        todo += "" if measurements else f", or seal again: grade predict {unit_id}"
        word = SealWord.CHANGED
        message = f"since the sheet was sealed at {seal.time}, {changed} has changed; {todo}"
    return SealVerdict(
        word,
        message,
        sheet=seal.sheet if seal else "",
        sealed_at=seal.time if seal else None,
        measured_at=measured_at,
        seals=len(chain.of(unit_id, SEAL)),
        rewritten=_rewritten(chain, unit_id),
    )


def _rewritten(chain: Chain, unit_id: str) -> tuple[str, ...]:
    """Return the fields that two seals of a unit, one after the other, do not agree on."""
    found: dict[str, None] = {}
    for before, after in pairwise(seal.content for seal in chain.of(unit_id, SEAL)):
        names = dict.fromkeys((*before, *after))
        found |= {name: None for name in names if before.get(name) != after.get(name)}
    return tuple(found)


def _changed(seal: LedgerEntry, beside: Mapping[str, str]) -> str:
    """Return the names of the files that are not what they were when a sheet was sealed."""
    then = {name: digest for name, digest in seal.content.items() if is_file_name(name)}
    return " and ".join(name for name, digest in then.items() if beside.get(name) != digest)


def _word(chain: Chain, unit_id: str, digest: str | None, place: str) -> tuple[SealWord, str]:
    seals = chain.of(unit_id, SEAL)
    measurements = chain.of(unit_id, MEASUREMENT)
    seal = chain.seal_in_force(unit_id)
    if not seals:
        return SealWord.NOT_SEALED, f"fill in the sheet, then seal it: grade predict {unit_id}"
    if seal is not None and seal.sheet == digest:
        return SealWord.SEALED, "the sheet was sealed before the measurement"
    if not measurements:
        return SealWord.CHANGED, (
            f"the sheet differs from the one sealed at {seals[-1].time}; "
            f"put that one back, or seal this one: grade predict {unit_id}"
        )
    measured = measurements[0]
    late = [entry for entry in seals if entry.n > measured.n and entry.sheet == digest]
    if late:
        return SealWord.LATE, (
            f"this sheet was sealed at {late[0].time}, after the measurement at {measured.time}; "
            f"put back the one sealed before it (`git log -p -- {place}` shows it)"
        )
    return SealWord.CHANGED, (
        f"the sheet differs from the one sealed before the measurement at {measured.time}; "
        f"put that one back (`git log -p -- {place}` shows it)"
    )
