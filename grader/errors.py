"""The error tree: every error a person may see has one root and says where, what and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with an input, told to the person who wrote it.

    Attributes:
        where: The place, as ``file`` or ``file:line``; empty when there is none.
        seen: What was found there.
        todo: What to do about it; empty when `seen` already says so.
    """

    where: str
    seen: str
    todo: str = ""

    def __str__(self) -> str:
        """Return the problem as one line, ``where: seen; todo``."""
        place = f"{self.where}: " if self.where else ""
        action = f"; {self.todo}" if self.todo else ""
        return f"{place}{self.seen}{action}"


class EvidenceError(Exception):
    """Root of the errors that are shown to a person, with all problems of one input together."""

    def __init__(self, problems: Problem | str | Iterable[Problem]) -> None:
        """Keep the problems; a bare string becomes a problem without a place."""
        if isinstance(problems, str):
            problems = Problem("", problems)
        if isinstance(problems, Problem):
            problems = (problems,)
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class UsageError(EvidenceError):
    """A command was called in a way that cannot work; exit status 2."""


class CourseError(EvidenceError):
    """A unit of the course is not as its contract demands; an author's concern."""


class SubmissionError(EvidenceError):
    """A submission cannot be read at all."""


class SheetError(EvidenceError):
    """A prediction sheet, discrepancy file or self-test is malformed."""


class LedgerError(EvidenceError):
    """The ledger cannot be read or appended to."""


class SandboxError(EvidenceError):
    """The sandbox cannot be started, or cannot confine as the caller demands."""
