"""From evidence to rows: a pure function.

A row is ``pass`` when all its pass evidence is met, ``strong`` when its strong evidence is met
too, ``none`` otherwise. Evidence that says nothing, because noise forbids a verdict, a device is
missing or the grader failed, leaves the level open: `Row.level` is what is certain, `Row.at_most`
what is still possible.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from grader.checks.evidence import Evidence, Status
from grader.scoring.rubric import Rubric


class Level(StrEnum):
    """What a row reaches."""

    NONE = "none"
    PASS = "pass"
    STRONG = "strong"


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the rubric for one unit.

    Attributes:
        id: Id of the row.
        title: Its title.
        level: The level that is certain.
        at_most: The level that undetermined evidence leaves possible.
        reasons: Why, as sentences.
    """

    id: str
    title: str
    level: Level
    at_most: Level
    reasons: tuple[str, ...] = ()


def score(
    evidence: Sequence[Evidence], unit_rows: Collection[str], rubric: Rubric
) -> tuple[Row, ...]:
    """Return the rows that a unit feeds, in the rubric's order.

    Args:
        evidence: All evidence of one grade; what belongs to other rows is left aside.
        unit_rows: Ids of the unit's rows.
        rubric: The rubric.

    Raises:
        CourseError: if the rubric has no such row.
    """
    for row_id in unit_rows:
        rubric.row(row_id)
    return tuple(
        _score_row(criteria.id, criteria.title, [e for e in evidence if e.row == criteria.id])
        for criteria in rubric.rows
        if criteria.id in unit_rows
    )


def _score_row(row_id: str, title: str, own: Sequence[Evidence]) -> Row:
    passing = [found for found in own if found.level == Level.PASS]
    strong = [found for found in own if found.level == Level.STRONG]
    certain, possible = _reach(passing, strong)
    return Row(row_id, title, certain, possible, _reasons(passing, strong, certain))


def _reach(passing: Sequence[Evidence], strong: Sequence[Evidence]) -> tuple[Level, Level]:
    """Return the level that is certain and the one that is possible.

    What would only have confirmed something, and was skipped, is left out.

    A row without pass evidence was not looked at, so that nothing is certain; one without strong
    evidence has nothing that could make it strong.
    """
    passing = [found for found in passing if not _may_be_missing(found)]
    strong = [found for found in strong if not _may_be_missing(found)]
    if _any_against(passing):
        return Level.NONE, Level.NONE
    if not passing:
        return Level.NONE, Level.PASS if _any_against(strong) else Level.STRONG
    possible = Level.PASS if _any_against(strong) or not strong else Level.STRONG
    if not _all_met(passing):
        return Level.NONE, possible
    return (Level.STRONG if strong and _all_met(strong) else Level.PASS), possible


def _may_be_missing(found: Evidence) -> bool:
    return found.confirms and found.status is Status.SKIPPED


def _any_against(evidence: Sequence[Evidence]) -> bool:
    return any(found.status.counts_against for found in evidence)


def _all_met(evidence: Sequence[Evidence]) -> bool:
    return all(found.status is Status.MET for found in evidence)


def _reasons(
    passing: Sequence[Evidence], strong: Sequence[Evidence], certain: Level
) -> tuple[str, ...]:
    """Say what keeps the row where it is, what is open, and what a person should read."""
    reasons = [_reached(passing, strong, certain)]
    for level, group in ((Level.PASS, passing), (Level.STRONG, strong)):
        reasons += [_against(found, level) for found in group if found.status.counts_against]
        reasons += [_open(found, level) for found in group if found.status.undetermined]
    reasons += [
        f"A person should read {found.check}." for found in (*passing, *strong) if found.person
    ]
    return tuple(reasons)


def _reached(passing: Sequence[Evidence], strong: Sequence[Evidence], certain: Level) -> str:
    if not passing and not strong:
        return "Nothing was checked for this row."
    counts = " and ".join(
        f"{sum(found.status is Status.MET for found in group)} of {len(group)} {level}"
        for level, group in ((Level.PASS, passing), (Level.STRONG, strong))
        if group
    )
    ending = "" if strong or certain is not Level.PASS else "; this unit has no strong evidence"
    return f"Met: {counts} evidence{ending}."


def _against(found: Evidence, level: Level) -> str:
    words = {
        Status.NOT_MET: "is not met",
        Status.NOT_ATTEMPTED: "was not attempted",
        Status.STOPPED: "was stopped",
    }
    return f"{found.check} ({level}) {words[found.status]}: {found.title}"


def _open(found: Evidence, level: Level) -> str:
    words = {
        Status.INCONCLUSIVE: "is inconclusive",
        Status.SKIPPED: "was skipped",
        Status.VOID: "is void",
        Status.FAULT: "could not be graded",
    }
    ending = f": {found.message}" if found.message else "."
    if _may_be_missing(found):
        return f"{found.check} ({level}) was skipped, and would only confirm{ending}"
    return f"{found.check} ({level}) {words[found.status]}, which leaves the level open{ending}"
