"""The report of one grade as plain data: a pure function of what was found.

Its shape is `rubric/schema/report-1.json`; everything that shows or exports a grade reads this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from grader.checks.evidence import Evidence
from grader.errors import Problem
from grader.predictions.series import series_data
from grader.report.next_step import next_step

if TYPE_CHECKING:
    from grader.course.unit import Unit
    from grader.predictions.residual import Residual
    from grader.predictions.verdict import SealVerdict
    from grader.scoring.rows import Row

SCHEMA = "report-1"


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Under what a grade was made.

    Attributes:
        submission: Where the student's files were read from.
        digest: Digest of the files that were graded; empty when none could be read.
        seed: Seed of the drawn cases.
        started: When the grade began, with its time zone.
        finished: When it ended, None while it runs.
        interrupted: Whether it ended before every check had run.
        versions: What `environment.versions` gave.
        machine: What `environment.machine` gave.
        confinement: Level of confinement, 0 to 3.
        confinement_words: The level in words.
        practice: Whether the level is good for one's own work only.
    """

    submission: str
    digest: str
    seed: str
    started: datetime
    finished: datetime | None
    interrupted: bool
    versions: Mapping[str, str | None]
    machine: Mapping[str, Any]
    confinement: int
    confinement_words: str
    practice: bool


def build_report(
    unit: Unit,
    circumstances: Circumstances,
    *,
    evidence: Sequence[Evidence] = (),
    seal: SealVerdict | None = None,
    residuals: Sequence[Residual] = (),
    rows: Sequence[Row] = (),
    problems: Sequence[Problem] = (),
) -> dict[str, Any]:
    """Return the report of one grade.

    Args:
        unit: The unit that was graded.
        circumstances: Seed, times, versions, machine, confinement.
        evidence: Outcome of each check that ran, in order.
        seal: What the ledger says about the sheet; None when the sheet was not looked at.
        residuals: The sheet's fields held against the measurement, in the sheet's order.
        rows: The rubric rows that the unit feeds, scored.
        problems: What was wrong with the input.
    """
    now = circumstances
    return {
        "schema": SCHEMA,
        "unit": unit.id,
        "title": unit.title,
        "submission": {"path": now.submission, "digest": now.digest},
        "seed": now.seed,
        "started": _time(now.started),
        "finished": _time(now.finished),
        "interrupted": now.interrupted,
        "versions": dict(now.versions),
        "machine": dict(now.machine),
        "confinement": {
            "level": now.confinement,
            "words": now.confinement_words,
            "practice": now.practice,
        },
        "checks": [check_record(found) for found in evidence],
        "predictions": None if seal is None else _predictions(seal, residuals),
        "rows": [_row(row) for row in rows],
        "problems": [_problem(problem) for problem in problems],
        "next": next_step(unit, evidence, seal, residuals),
    }


def check_record(found: Evidence) -> dict[str, Any]:
    """Return the outcome of one check as plain data."""
    return {
        "id": found.check,
        "task": found.task,
        "title": found.title,
        "row": found.row,
        "level": found.level,
        "status": found.status.value,
        "message": found.message,
        "expected": found.expected,
        "got": found.got,
        "unit": found.unit,
        "mistake": found.mistake,
        "seconds": round(found.seconds, 3),
        "output": found.output,
        "person": found.person,
    }


def _predictions(seal: SealVerdict, residuals: Sequence[Residual]) -> dict[str, Any]:
    return {
        "seal": {
            "word": str(seal.word),
            "message": seal.message,
            "sheet": seal.sheet,
            "sealed_at": seal.sealed_at,
            "measured_at": seal.measured_at,
            "seals": seal.seals,
            "rewritten": list(seal.rewritten),
        },
        "fields": [_field(residual) for residual in residuals],
    }


def _field(residual: Residual) -> dict[str, Any]:
    return {
        "field": residual.field,
        "kind": residual.kind,
        "title": residual.title,
        "predicted": residual.predicted_text,
        "measured": residual.measured_text,
        "residual": residual.residual_text,
        "state": str(residual.state),
        "message": residual.message,
        "terms": [
            {
                "name": term.name,
                "amount": term.amount,
                "believed": term.believed,
                "message": term.message,
                "size": term.size,
            }
            for term in residual.terms
        ],
        "numbers": _numbers(residual),
        "series": None if residual.series is None else series_data(residual.series),
    }


def _numbers(residual: Residual) -> dict[str, Any] | None:
    found = residual.numbers
    if found is None:
        return None
    return {"unit": found.unit, "predicted": found.predicted, "measured": found.measured}


def _row(row: Row) -> dict[str, Any]:
    return {
        "id": row.id,
        "title": row.title,
        "level": str(row.level),
        "at_most": str(row.at_most),
        "reasons": list(row.reasons),
    }


def _problem(problem: Problem) -> dict[str, str]:
    return {"where": problem.where, "seen": problem.seen, "todo": problem.todo}


def _time(moment: datetime | None) -> str | None:
    """Return a moment as ISO 8601 with its zone, None for one that has not come."""
    return None if moment is None else moment.astimezone().isoformat(timespec="seconds")
