"""Hold a sealed sheet against its measurement, measuring first if that was not yet done.

Measure once, judge a record: the first record under the seal is the one that counts, and another
is made only for what the first leaves inconclusive.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.checks.evidence import Evidence
from grader.checks.measuring import measure_fields
from grader.checks.subject import Bench
from grader.course.unit import Unit
from grader.errors import Problem, SheetError, SubmissionError
from grader.instruments.environment import machine, versions
from grader.predictions.chain import MEASUREMENT
from grader.predictions.discrepancy import DISCREPANCY_FILE, read_discrepancies
from grader.predictions.judging import judge_sheet, to_measure_again
from grader.predictions.ledger import LEDGER_FILE, Ledger
from grader.predictions.record import Record, make_record, records_under
from grader.predictions.residual import Residual
from grader.predictions.sheet import SHEET_FILE, Sheet, read_sheet
from grader.predictions.verdict import SealVerdict, SealWord, verdict
from grader.scoring.prediction_evidence import prediction_evidence
from grader.submission.beside import digests
from grader.submission.folder import Submission

MOST_RECORDS = 3


@dataclass(frozen=True, slots=True)
class SheetResult:
    """What became of a unit's prediction sheet.

    Attributes:
        seal: What the ledger says about it.
        residuals: Its fields, held against the measurement; empty when nothing was measured.
        evidence: Two pieces of evidence for each field.
        problems: What is wrong with the sheet or with `discrepancy.toml`.
        unmeasured: Whether the student's own code keeps it from being measured.
    """

    seal: SealVerdict
    residuals: tuple[Residual, ...]
    evidence: tuple[Evidence, ...]
    problems: tuple[Problem, ...]
    unmeasured: bool = False


def grade_sheet(
    bench: Bench,
    submission: Submission,
    state: Path,
    seed: str,
    note: Callable[[str], None] = lambda _: None,
) -> SheetResult:
    """Judge a submission's sheet; measure under its seal if there is no conclusive record yet.

    Args:
        bench: Unit and sandbox.
        submission: What was handed in; the ledger in its root knows the seals.
        state: Where measurements are kept; the submission's own ``.grade`` or the grader's.
        seed: Seed of the measurement.
        note: Called with what is being done.
    """
    unit, folder, root = bench.unit, submission.folder, submission.root
    sheet, is_file, problems = _read_sheet(folder / SHEET_FILE, unit)
    digest = sheet.digest if sheet else None
    theirs = Ledger(root / LEDGER_FILE)
    beside = digests(submission, unit)

    def judged(of: Ledger) -> SealVerdict:
        return verdict(
            of.read(), unit.id, digest, is_file=is_file, beside=beside, folder=unit.folder
        )

    seal = judged(theirs)
    if seal.word != SealWord.SEALED or sheet is None:
        return SheetResult(seal, (), prediction_evidence(unit, seal, ()), tuple(problems))
    said = read_discrepancies(folder / DISCREPANCY_FILE, unit)
    ledger, before = _ledger_for_records(theirs, root, state)
    records = list(_records(ledger, before, unit, sheet.digest, beside))
    while True:
        residuals = judge_sheet(unit, sheet, records, said.explanations)
        if records and (len(records) >= MOST_RECORDS or not to_measure_again(residuals)):
            break
        try:
            raw = _measured(bench, submission, f"{seed}/{len(records)}", note)
        except SubmissionError as error:
            evidence = prediction_evidence(unit, seal, residuals if records else ())
            told = (*problems, *said.problems, *error.problems)
            return SheetResult(seal, (), evidence, told, unmeasured=True)
        record = make_record(raw, seed, versions(), machine(), beside)
        records.append(ledger.append(MEASUREMENT, unit.id, sheet.digest, record).content)
    seal = judged(ledger)
    evidence = prediction_evidence(unit, seal, residuals)
    return SheetResult(seal, residuals, evidence, (*problems, *said.problems))


def _measured(
    bench: Bench, submission: Submission, seed: str, note: Callable[[str], None]
) -> dict[str, Any]:
    """Measure, beside the student's files if the unit asks for that."""
    if not bench.unit.measures_beside:
        return measure_fields(bench, seed, note)
    with tempfile.TemporaryDirectory(prefix="beside-") as place:
        submission.copy_to(Path(place))
        return measure_fields(bench, seed, note, Path(place))


def _read_sheet(path: Path, unit: Unit) -> tuple[Sheet | None, bool, list[Problem]]:
    """Return the sheet, whether it is a file rather than a link, and what is wrong with it."""
    if path.is_symlink():
        return None, False, [Problem(path.name, "the sheet is a link, not a file")]
    try:
        return read_sheet(path, unit), True, []
    except SheetError as error:
        return None, True, list(error.problems)


def _ledger_for_records(theirs: Ledger, root: Path, state: Path) -> tuple[Ledger, int]:
    """Return the ledger that takes measurements, and how many of its entries are not trusted.

    Somebody's own work keeps one ledger. For the work of others the grader goes on from a copy of
    theirs, one for each content, and believes only the measurements it made itself.
    """
    if state.resolve() == theirs.path.parent.resolve():
        return theirs, 0
    content = theirs.path.read_bytes()
    name = f"ledger-{hashlib.sha256(content).hexdigest()[:12]}.jsonl"
    own = Ledger(state / name)
    if not own.path.exists():
        state.mkdir(parents=True, exist_ok=True)
        if theirs.head_path.is_file():
            shutil.copyfile(theirs.head_path, own.head_path)
        own.path.write_bytes(content)
    return own, len(Ledger(theirs.path).entries())


def _records(
    ledger: Ledger, before: int, unit: Unit, digest: str, beside: Mapping[str, str]
) -> tuple[Record, ...]:
    """Return the trusted records under the seal of a sheet, of the student's files as they are."""
    chain = ledger.read()
    trusted = {id(entry.content) for entry in chain.entries[before:]}
    found = records_under(chain, unit.id, digest, beside)
    return tuple(record for record in found if id(record) in trusted)
