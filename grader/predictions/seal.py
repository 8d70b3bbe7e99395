"""Seal a prediction sheet: validate it, record its digest in the ledger, commit that one file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from grader.course.unit import Unit
from grader.predictions.chain import SEAL, LedgerEntry
from grader.predictions.commit import Commit, commit_file
from grader.predictions.ledger import Ledger
from grader.predictions.sheet import Sheet, read_sheet
from grader.predictions.verdict import SealVerdict, verdict


@dataclass(frozen=True, slots=True)
class Sealed:
    """A sealed sheet.

    Attributes:
        sheet: The sheet.
        entry: The seal in the ledger.
        is_new: Whether it was made now, or the sheet had been sealed before as it is.
        verdict: What the ledger now says; a seal after the measurement comes too late.
        commit: What became of committing the sheet.
    """

    sheet: Sheet
    entry: LedgerEntry
    is_new: bool
    verdict: SealVerdict
    commit: Commit


def seal_sheet(
    path: Path,
    unit: Unit,
    ledger: Ledger,
    now: datetime | None = None,
    beside: Mapping[str, str] | None = None,
) -> Sealed:
    """Seal the prediction sheet of a unit.

    Sealing an unchanged sheet again adds nothing to the ledger, but commits it if it is not yet.

    Args:
        path: The sheet.
        unit: The unit it predicts for.
        ledger: The ledger of the workspace.
        now: Time of the seal; the clock's if left out.
        beside: Digests of the student's files that the sheet is about, by name; the seal keeps
            them.

    Raises:
        SheetError: if the sheet is malformed, or a field is blank; nothing is sealed then.
        LedgerError: if the ledger is broken or cannot be written; nothing is sealed then.
    """
    sheet = read_sheet(path, unit, complete=True)
    chain = ledger.read()
    old = (chain.seal_in_force(unit.id), chain.last_seal(unit.id))
    content = {**sheet.content, **(beside or {})}
    entry = next((seal for seal in old if seal is not None and seal.content == content), None)
    is_new = entry is None
    if entry is None:
        entry = ledger.append(SEAL, unit.id, sheet.digest, content, now)
    commit = commit_file(path, sheet.raw, f"Seal the predictions of unit {unit.id}")
    said = verdict(ledger.read(), unit.id, sheet.digest, beside=beside, folder=unit.folder)
    return Sealed(sheet, entry, is_new, said, commit)
