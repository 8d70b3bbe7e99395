"""Evidence: the outcome of one check, as plain data that scoring and reports read."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """What a check found."""

    MET = "met"
    NOT_MET = "not met"
    NOT_ATTEMPTED = "not attempted"
    INCONCLUSIVE = "inconclusive"
    SKIPPED = "skipped"
    STOPPED = "stopped"
    VOID = "void"
    FAULT = "grader fault"

    @property
    def counts_against(self) -> bool:
        """Whether this outcome keeps a row from being reached."""
        return self in (Status.NOT_MET, Status.NOT_ATTEMPTED, Status.STOPPED)

    @property
    def undetermined(self) -> bool:
        """Whether this outcome says nothing, for or against."""
        return self in (Status.INCONCLUSIVE, Status.SKIPPED, Status.VOID, Status.FAULT)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Outcome of one check.

    Attributes:
        check: Id of the check, ``8.9.a/nested_events``.
        task: Id of the task it belongs to; ``8.9.P`` for the prediction sheet.
        title: What holds when the check is met, in the student's words.
        row: Rubric row it feeds.
        level: ``pass`` or ``strong``: what of that row it is evidence for.
        status: What was found.
        message: What happened, where, and what to look at next.
        expected: What was expected, as text; empty when there is nothing to show.
        got: What the student's code gave, as text.
        unit: Unit of both.
        mistake: Sentence of the known mistake that gives this very result.
        seconds: Wall time of the check [s].
        output: What the student's code printed, cut.
        person: Whether a person should read it too.
        confirms: Whether it only confirms on a device what other evidence shows on a model of it.
    """

    check: str
    task: str
    title: str
    row: str
    level: str
    status: Status
    message: str = ""
    expected: str = ""
    got: str = ""
    unit: str = ""
    mistake: str = ""
    seconds: float = 0.0
    output: str = ""
    person: bool = False
    confirms: bool = False
